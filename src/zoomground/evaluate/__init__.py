"""Measuring policies: benchmarks and held-out rows in arms on the same items, scored, summed up, compared in pairs."""
