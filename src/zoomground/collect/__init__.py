"""Episodes made for learning from: scripted zoom demonstrations, and the texts that a small tokenizer is trained on.

A `Style` says how demonstrations look; one file each: `free` for checkpoints of a useful size, `coarse` for those of a
few million weights, `lattice` for those on boards. `demonstrations` plays one, `dataset` writes many.
"""
