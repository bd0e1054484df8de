"""Synthetic screens: a seeded scene graph, drawn by a real browser, labelled from it, checked, written as rows."""
