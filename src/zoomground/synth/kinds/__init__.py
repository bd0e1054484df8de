"""Kinds of programs: one file each, with a function ``build(scene)`` that gives what fills its window."""
