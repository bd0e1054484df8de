"""A curriculum on boards: from random weights to a checkpoint that reads icons, points at them, and zooms.

Cross-entropy on demonstrations alone teaches a small model the form and not the reading. Here it learns in this order:
the vision tower to name what each image token shows (it is scored against the embeddings of the names themselves), then
the language half to look names up (every readable icon of a picture, name to place and place to name), and with it the
demonstrations of zooming. Weights on the tokens that decide, heads that are thrown away; what is left is an ordinary
checkpoint of its family.
"""
