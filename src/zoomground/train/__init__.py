"""Training: from a recipe to a plan, from a plan to processes, from a stopped run to one that goes on.

- `folder`: where a run keeps what.
- `plan`: a recipe as exact commands; a value, nothing is run.
- `preflight`: what would go wrong, found before anything starts.
- `launch`: the only module that starts processes.
- `resume`: what a stopped stage left, and how to go on from it.
- `pipeline`: the stages of a plan one after another, each done once.
- `stages`: our own stages, one file and one process each.
"""
