"""Every example runs as it stands, from a copy, so that nobody's own settings are touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import zoomground
from saved import picture
from zoomground import build_system_prompt
from zoomground.images import load_screenshot

ROOT = Path(__file__).parents[2]
REPLY = '<think>The menu bar is small.</think>\n<action>crop_image(image_path="screenshot.png", x1=0, ...)</action>'


@dataclass
class Endpoint:
    """A chat-completions endpoint on loopback that remembers what it was asked."""

    url: str
    requests: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.requests.append((self.path, self.headers["Authorization"], body))
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}
            answer = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"], "choices": [choice]}
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Chat)
    found = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def example(name: str, folder: Path) -> Path:
    """A copy of an example in a folder of the repository's shape."""
    copy = folder / "examples" / name
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / "examples" / name, copy)
    return copy


def run(script: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI", "MODEL", "ZOOMIN"))}
    return subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        cwd=script.parents[1],
        env=kept | {"PYTHONPATH": str(Path(zoomground.__file__).parents[1]), "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_an_example_is_short(script: Path) -> None:
    assert len(script.read_text("utf-8").splitlines()) < 40


def test_first_turn_asks_the_endpoint_of_the_file(tmp_path: Path, endpoint: Endpoint) -> None:
    picture(tmp_path / "screenshot.png")
    (tmp_path / "evaluation").mkdir()
    shipped = (ROOT / "evaluation" / ".env.run.example").read_text("utf-8")
    assert "OPENAI_BASE_URL=http://localhost:8000/v1" in shipped
    (tmp_path / "evaluation" / ".env.run").write_text(
        shipped.replace("http://localhost:8000/v1", endpoint.url).replace("MODEL=zoomground", "MODEL=my-model"), "utf-8"
    )
    result = run(example("first_turn.py", tmp_path))
    assert result.returncode == 0, result.stderr
    assert result.stdout == REPLY + "\n"
    ((path, key, body),) = endpoint.requests
    assert path == "/v1/chat/completions"
    assert key == "Bearer EMPTY"
    assert (body["model"], body["max_tokens"]) == ("my-model", 2560)
    system, user = body["messages"]
    assert system == {
        "role": "system",
        "content": build_system_prompt("Open the File menu", "screenshot.png", 1280, 800, max_tool_calls=3),
    }
    text, image = user["content"]
    assert text == {"type": "text", "text": "image_path: screenshot.png"}
    sent = load_screenshot(image["image_url"]["url"])
    assert sent.pixels.tobytes() == load_screenshot(tmp_path / "screenshot.png").pixels.tobytes()


def test_first_turn_takes_image_and_instruction(tmp_path: Path, endpoint: Endpoint) -> None:
    picture(tmp_path / "shots" / "menu.png")
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "evaluation" / ".env.run").write_text(
        f"OPENAI_BASE_URL={endpoint.url}\nOPENAI_API_KEY=secret\nMODEL=m\n", "utf-8"
    )
    for arguments in (("shots/menu.png",), ("shots/menu.png", "Click Save")):
        result = run(example("first_turn.py", tmp_path), *arguments)
        assert result.returncode == 0, result.stderr
    (_, key, first), (_, _, second) = endpoint.requests
    assert key == "Bearer secret"
    assert "Instruction: Open the File menu" in first["messages"][0]["content"]
    assert "Instruction: Click Save" in second["messages"][0]["content"]
    assert second["messages"][1]["content"][0]["text"] == "image_path: menu.png"


def test_custom_reward(tmp_path: Path) -> None:
    result = run(example("custom_reward.py", tmp_path))
    assert result.returncode == 0, result.stderr
    short, long = result.stdout.splitlines()
    assert "brevity 0.963" in short
    assert "brevity 0.022" in long


def test_play_an_episode(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    row = {"problem": "<image>Open File", "solution": "[640,400,652,412]", "images": ["a.png"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    result = run(example("play_an_episode.py", tmp_path), "rows.jsonl", "out.png")
    assert result.returncode == 0, result.stderr
    assert "crop_image action result:" in result.stdout
    assert "ended: answered" in result.stdout
    with Image.open(tmp_path / "out.png") as image:
        assert image.width > 1000


@pytest.mark.skipif(not (ROOT / "data_samples" / "grpo_train_prompts").exists(), reason="the samples are not here")
def test_play_an_episode_on_the_shipped_rows(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data_samples", tmp_path / "data_samples")
    result = run(example("play_an_episode.py", tmp_path))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "episode.png").exists()
