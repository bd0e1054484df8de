"""Ask an OpenAI-compatible endpoint for the first turn: crops, or the answer.

Usage: python examples/first_turn.py [screenshot.png] ["Open the File menu"]
The endpoint stands in evaluation/.env.run (see evaluation/.env.run.example). Needs zoomground[client].
"""

import os
import sys
from pathlib import Path

from dotenv import dotenv_values
from openai import OpenAI

from zoomground import build_system_prompt, load_screenshot
from zoomground.images import display_name, encode

ENV_FILE = Path(__file__).resolve().parents[1] / "evaluation" / ".env.run"
image, instruction = (sys.argv[1:] + ["screenshot.png", "Open the File menu"][len(sys.argv) - 1 :])[:2]
settings = {**dotenv_values(ENV_FILE), **os.environ}  # noqa: TID251 -- an example is a program of its own
screenshot = load_screenshot(image)
name = display_name(image)
system = build_system_prompt(
    instruction=instruction,
    image_path=name,
    width=screenshot.size.width,
    height=screenshot.size.height,
    max_tool_calls=3,
)
user = [
    {"type": "text", "text": f"image_path: {name}"},
    {"type": "image_url", "image_url": {"url": encode(screenshot.pixels).data_uri()}},
]
client = OpenAI(base_url=settings["OPENAI_BASE_URL"], api_key=settings.get("OPENAI_API_KEY") or "EMPTY")
reply = client.chat.completions.create(
    model=settings["MODEL"],
    messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
    max_tokens=2560,
)
print(reply.choices[0].message.content)
