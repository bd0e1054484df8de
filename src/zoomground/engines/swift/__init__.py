"""The ms-swift engine: translators between ms-swift's loops and the environment, and nothing that knows the rules.

- `scheduler`: drives `GroundingEnv` from ms-swift's multi-turn loops; `session` is the state of one episode.
- `sanitize`: takes media tokens and non-finite log-probs out of what an engine sampled.
- `rewards`: the registered rewards, each a door to a pure function of a trajectory.
- `judging`: the judge of reasoning at that door.
- `trainer`: the GRPO trainer with failed episodes left out, the trajectory log and the metrics; `record` is its file.
- `template`: chat templates whose media token ids follow the checkpoint.
- `dataset`: rows file to the engine's dataset file.
- `plugin`: importing it registers all of it with ms-swift.

ms-swift calls these classes by position and keyword as its 4.6.0 wheel does; `notes` in the tests name the places.
"""
