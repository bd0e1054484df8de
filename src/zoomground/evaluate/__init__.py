"""Measuring policies on held-out rows: play every row, score it, sum up with intervals, compare in pairs."""

from zoomground.evaluate.metrics import Difference, Results, Share, measure, paired_difference, wilson
from zoomground.evaluate.runner import evaluate_rows
from zoomground.evaluate.table import results_table

__all__ = [
    "Difference",
    "Results",
    "Share",
    "evaluate_rows",
    "measure",
    "paired_difference",
    "results_table",
    "wilson",
]
