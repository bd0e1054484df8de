"""What needs torch: the ms-swift engine, tiny checkpoints, a policy that plays from a local checkpoint."""
