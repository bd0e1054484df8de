"""Play one episode with a scripted policy, print the conversation and the rewards, draw what happened.

Usage: python examples/play_an_episode.py [rows.jsonl] [episode.png]
The oracle knows the target; put any object with a ``reply(env)`` in its place.
"""

import sys
from pathlib import Path

from zoomground import EpisodeSettings, GroundingEnv, Oracle, Rubric, draw, load_screenshot, play
from zoomground.data.rows import read_rows

SAMPLES = Path(__file__).resolve().parents[1] / "data_samples" / "grpo_train_prompts" / "train.jsonl"

arguments = sys.argv[1:]
rows = Path(arguments[0]) if arguments else SAMPLES
picture = Path(arguments[1] if len(arguments) > 1 else "episode.png")

row = next(read_rows(rows))
env = GroundingEnv(row.task, load_screenshot(row.image_source), EpisodeSettings())
trajectory = play(env, Oracle())

for message in trajectory.messages():
    print(f"[{message.role}] {message.text}\n")
print(f"ended: {trajectory.stop_reason}")
for name, value in Rubric().score(trajectory).values.items():
    print(f"{name:<28}{value}")
draw(trajectory, env.screenshot).save(picture)
print(f"picture: {picture}")
