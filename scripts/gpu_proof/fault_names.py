"""What the rollouts that break are called, and by how much they do: for the plugin and for who reads what it did."""

IMAGE = "fault-image"
"""The task whose screenshot breaks on the disk after everything was checked."""

LONG, MEDIA, NAN = "fault-long", "fault-media", "fault-nan"
"""The tasks of which the engine breaks one rollout a step."""

REPLY_CHARACTERS = 1_000_000
MEDIA_TOKENS = 3
NAN_TOKENS = 2
