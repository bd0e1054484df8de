"""Proofs of the labels of synthetic screens, each independent of the code that made them."""
