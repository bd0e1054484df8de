"""The curriculum on screens: from random weights to a checkpoint that reads words on pictures of programs, and zooms.

The same order as on boards. The vision tower first learns which letters each patch shows and which pieces of words each
image token, scored against the embeddings of those pieces, and the other way round, in which token a piece stands. Then
the language half looks names up in the same pictures, and demonstrates zooming. Screens come from a folder that may
still be growing (`zoomground synth --elements`).
"""
