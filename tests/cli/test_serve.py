"""``serve`` as a process: what it says, whom it lets in, how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import openai
from verbs import run

from episodes import screenshot
from saved import SIZE
from scripted_endpoint import MODEL, Answer, says, scripted
from zoomground.images import encode

POINT = "[504.50,507.50]"
SECRET = "sk-from-the-environment"


@contextlib.contextmanager
def serving(folder: Path, *options: object, **environ: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The process in a folder, and the line in which it says that it listens."""
    command = [sys.executable, "-m", "zoomground", "serve", "--port", "0", "--json", *map(str, options)]
    clean = {name: value for name, value in os.environ.items() if name not in {"OPENAI_BASE_URL", "MODEL"}}
    environ = clean | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENAI_API_KEY": SECRET} | environ
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ, cwd=folder
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            yield process, json.loads(line)
        finally:
            process.kill()


def ask(url: str, key: str = "any") -> Any:
    uri = encode(screenshot(SIZE).pixels).data_uri()
    content = [{"type": "text", "text": "Open"}, {"type": "image_url", "image_url": {"url": uri}}]
    with openai.OpenAI(base_url=url, api_key=key, max_retries=0) as client:
        return client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])


def test_sigterm_lets_what_runs_come_to_its_end(tmp_path: Path) -> None:
    asked, go_on = Event(), Event()

    def script(_: int, __: dict[str, Any]) -> Answer:
        asked.set()
        return Answer(body=says(POINT).body, after=go_on)

    with scripted(script) as upstream, serving(tmp_path, "--upstream", upstream.base_url) as (process, listening):
        assert listening == {
            "event": "listening", "url": listening["url"], "upstream": upstream.base_url, "model": "*",
        }  # fmt: skip
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(ask, listening["url"])
            assert asked.wait(60)
            process.send_signal(signal.SIGTERM)
            port = int(listening["url"].rpartition(":")[2].partition("/")[0])
            with contextlib.suppress(ConnectionError):
                while True:  # until the door is shut
                    socket.create_connection(("127.0.0.1", port)).close()
            go_on.set()
            assert answer.result().choices[0].message.content == POINT
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    (line,) = [json.loads(line) for line in out.splitlines()]
    assert (line["event"], line["method"], line["path"], line["status"]) == (
        "request", "POST", "/v1/chat/completions", 200,
    )  # fmt: skip
    assert line["note"].startswith("answered, turns 1, crops 0")
    assert err == ""
    assert upstream.keys == [f"Bearer {SECRET}"]


def test_keys_come_from_the_file_and_stand_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "keys.env"
    with scripted([says(POINT)]) as upstream:
        lines = [f"OPENAI_BASE_URL={upstream.base_url}", f"MODEL={MODEL}", "ZOOMGROUND_API_KEY=for-clients"]
        file.write_text("\n".join(lines), "utf-8")
        with serving(tmp_path, "--env-file", file, "--host", "0.0.0.0") as (process, listening):  # noqa: S104
            url = listening["url"].replace("0.0.0.0", "127.0.0.1")  # noqa: S104
            assert listening["model"] == MODEL
            with pytest.raises(openai.AuthenticationError):
                ask(url, "wrong")
            assert ask(url, "for-clients").choices[0].message.content == POINT
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
    # What a shell starts in the background ignores Ctrl-C, and so does everything below it.
    assert process.returncode == (0 if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else 130)
    assert err == "", "a key is asked for: no warning"
    assert [json.loads(line)["status"] for line in out.splitlines()] == [401, 200]
    assert not any(key in out + err for key in (SECRET, "for-clients", "wrong "))


def test_an_open_door_is_warned_of(tmp_path: Path) -> None:
    with serving(tmp_path, "--upstream", "http://127.0.0.1:9/v1", "--host", "0.0.0.0") as (process, _):  # noqa: S104
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err.startswith("warning: 0.0.0.0 is reached from other machines, and no key is asked for")


def test_what_is_wrong_is_said_before_anything_is_served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "MODEL"):
        monkeypatch.delenv(name, raising=False)
    assert "give --base-url, or set OPENAI_BASE_URL" in run("serve").stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("serve", "--upstream", "http://127.0.0.1:9/v1", "--port", taken.getsockname()[1])
    assert result.exit_code == 1
    assert "cannot listen on 127.0.0.1:" in result.stderr
    assert "choose others by --host and --port" in result.stderr
    assert (
        "cannot listen on no.such.host.invalid:"
        in run("serve", "--upstream", "http://127.0.0.1:9/v1", "--host", "no.such.host.invalid").stderr
    )
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "zoomground.serve.server", raising=False)
    assert "run: pip install 'zoomground[serve]'" in run("serve", "--upstream", "http://127.0.0.1:9/v1").stderr
