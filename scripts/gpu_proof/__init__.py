"""The parts of ``scripts/prove_gpu.py``: how runs are started, broken and read. The package knows nothing of them."""
