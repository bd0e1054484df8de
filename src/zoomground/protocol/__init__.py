"""The protocol: what is written to the policy, and how its replies are read."""
