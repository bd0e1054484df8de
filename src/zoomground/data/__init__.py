"""Data files: rows in, trajectories out."""
