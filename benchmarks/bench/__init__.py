"""What the benchmarks share: clocks, screens, set-ups, what a result is, and how it is told."""
