"""``ask``: one episode against an endpoint, and what it leaves behind."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path

import pytest

pytest.importorskip("openai")

from verbs import run

import zoomground
from saved import DIRECT_HIT, ZOOM_HIT, episode, picture
from scripted_endpoint import MODEL, fails, says, scripted
from zoomground.data.chat import chat_messages
from zoomground.data.trajectories import crop_path, open_screenshot, read_records
from zoomground.errors import ZoomgroundError
from zoomground.images import load_screenshot


@pytest.fixture
def shot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "MODEL"):
        monkeypatch.delenv(name, raising=False)
    return picture(tmp_path / "screen.png")


def test_the_point_in_px_and_what_it_took(shot: Path) -> None:
    with scripted([says(text) for text in ZOOM_HIT]) as endpoint:
        result = run("ask", shot, "Open the File menu", "--base-url", endpoint.base_url, "--model", MODEL)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "point (645.8, 406.0) px, [504.50,507.50] in [0,1000]"
    assert lines[1:4] == [
        "turn 1: canonical",
        "  crop_1.png: [576, 360, 717, 448] px of the screenshot",
        "turn 2: canonical",
    ]
    assert lines[4].startswith("200 tokens read, 14 written, 2 requests, ")


def test_the_log_is_one_that_other_verbs_read(shot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("ask", shot, "Open the File menu", "--save", out, "--draw", tmp_path / "drawn.png", "--json")
    with scripted([says(text) for text in ZOOM_HIT * 2]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL)
        first, second = (json.loads(run(*arguments, *options).stdout) for _ in range(2))
        bodies = endpoint.requests()
    assert (first["uuid"], second["uuid"]) == ("ask-1", "ask-2")
    assert first["point"] == [504.5, 507.5]
    assert first["usage"]["completion_tokens"] == 14
    assert load_screenshot(tmp_path / "drawn.png").size.width > 0
    line = next(iter(read_records(out)))
    trajectory = line.record.trajectory
    assert trajectory.turns == episode(shot).turns
    assert line.record.usage == first["usage"]
    crop = out / crop_path("ask-1", "crop_1.png")
    before = crop.read_bytes()
    assert run("rebuild-crops", out, "--json").exit_code == 0
    assert crop.read_bytes() == before
    assert run("score", out).exit_code == 0
    assert "Open the File menu" in run("show", out, "--index", 1).stdout
    assert chat_messages(trajectory, open_screenshot(trajectory), before_turn=2) == bodies[1]["messages"]


def test_the_page_shows_what_the_policy_looked_at(shot: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    page = tmp_path / "pages" / "asked.html"
    with scripted([says(text) for text in ZOOM_HIT]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL)
        assert run("ask", shot, "Open <the> File menu", *options, "--page", page).exit_code == 0
    html = page.read_text("utf-8")
    assert "<title>Open &lt;the&gt; File menu</title>" in html
    assert html.count("data:image/") == 1
    assert "of screen.png: 141x88 px" in html
    assert "[504.50,507.50]" in html
    with scripted([fails(401)]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL)
        assert run("ask", shot, "Open", *options, "--page", page).exit_code == 1
    assert "unauthorized" in page.read_text("utf-8"), "a failed episode has its page too"


def test_the_exact_request_is_shown(shot: Path) -> None:
    with scripted([says(DIRECT_HIT[0])]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--json", "--extra-body", '{"top_k": 1}')
        full = run("ask", shot, "Open the Datei-Menü", *options, "--show-full-request")
        brief = run("ask", shot, "Open it", *options, "--show-request")
    head, body = full.stderr.splitlines()
    assert head == f"POST {endpoint.base_url}/chat/completions"
    assert body.encode() == endpoint.bodies[0]
    assert '"top_k": 1' in brief.stderr
    assert "data:image/png;base64, 1280x800 px, file sha256 " in brief.stderr
    assert len(brief.stderr) < 5000
    assert json.loads(full.stdout)["stop_reason"] == "answered"


def test_options_win_over_the_environment_and_that_over_the_file(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted([says(DIRECT_HIT[0])]) as endpoint:
        file = tmp_path / "evaluation" / ".env.run"
        file.parent.mkdir()
        file.write_text(f"OPENAI_BASE_URL={endpoint.base_url}\nOPENAI_API_KEY=\nMODEL=filed\n", encoding="utf-8")
        assert run("ask", shot, "Open").exit_code == 0
        monkeypatch.setenv("MODEL", "environment")
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        assert run("ask", shot, "Open").exit_code == 0
        assert run("ask", shot, "Open", "--model", "option", "--api-key", "other").exit_code == 0
        elsewhere = tmp_path / "else.env"
        elsewhere.write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\n", encoding="utf-8")
        assert run("ask", shot, "Open", "--env-file", elsewhere, "--retries", 0).exit_code == 1
    assert [request["model"] for request in endpoint.requests()] == ["filed", "environment", "option"]
    assert endpoint.keys == ["Bearer EMPTY", "Bearer secret", "Bearer other"]


def test_no_endpoint_at_all_says_where_one_would_stand(shot: Path) -> None:
    result = run("ask", shot, "Open")
    assert result.exit_code == 1
    assert "give --base-url, or set OPENAI_BASE_URL" in result.stderr
    assert run("ask", shot, "Open", "--base-url", "http://x/v1", "--model", "m", "--extra-body", "[1]").exit_code == 2


def test_arm_budget_and_declining_reach_the_episode(shot: Path) -> None:
    decline = "<action>decline()</action>"
    with scripted([says(ZOOM_HIT[0]), says(decline)]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--json")
        outcome = json.loads(run("ask", shot, "Open", *options, "--max-crops", 1, "--allow-decline").stdout)
        off = json.loads(run("ask", shot, "Open", *options, "--arm", "off").stdout)
    assert outcome["declined"]
    assert outcome["crops"] == [{"name": "crop_1.png", "region_px": [576, 360, 717, 448]}]
    last = endpoint.requests()[1]["messages"][-1]["content"]
    assert '"remaining_crops": 0' in last[0]["text"]
    assert off["stop_reason"] == "corrections_spent"


def test_a_failed_episode_is_a_problem_with_a_name(shot: Path) -> None:
    with scripted([fails(400, "maximum context length is 10 tokens")]) as endpoint:
        result = run("ask", shot, "Open", "--base-url", endpoint.base_url, "--model", MODEL)
    assert result.exit_code == 1
    assert result.stdout.startswith("no point: context budget\n")
    assert "troubles: context_overflow" in result.stdout
    assert "error: context_overflow: " in result.stderr


def test_the_answer_is_told_before_a_file_that_cannot_be_written(shot: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with scripted([says(text) for text in DIRECT_HIT]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL)
        result = run("ask", shot, "Open", *options, "--draw", tmp_path / "file" / "drawn.png")
    assert result.exit_code == 1
    assert result.stdout.startswith("point (")
    assert "File exists" in result.stderr


def test_an_empty_instruction_asks_nothing(shot: Path) -> None:
    with scripted([says(text) for text in DIRECT_HIT]) as endpoint:
        result = run("ask", shot, "  ", "--base-url", endpoint.base_url, "--model", MODEL)
    assert (result.exit_code, endpoint.bodies) == (1, [])
    assert "the instruction is empty" in result.stderr


def test_spaces_around_a_key_are_no_part_of_it(shot: Path) -> None:
    with scripted([says(text) for text in DIRECT_HIT]) as endpoint:
        run("ask", shot, "Open", "--base-url", endpoint.base_url, "--model", MODEL, "--api-key", "secret-key\n")
    assert endpoint.keys == ["Bearer secret-key"]


def test_a_record_never_holds_the_picture_that_was_given_as_a_data_uri(shot: Path) -> None:
    uri = f"data:image/png;base64,{base64.b64encode(shot.read_bytes()).decode()}"
    with scripted([says(text) for text in DIRECT_HIT]) as server:
        asked = zoomground.ask(uri, "Open", endpoint=zoomground.Endpoint(server.base_url, MODEL))
    assert asked.trajectory.task.image == "screenshot.png"


def test_from_python(shot: Path) -> None:
    with scripted([says(text) for text in ZOOM_HIT]) as server:
        endpoint = zoomground.Endpoint(server.base_url, MODEL)
        asked = zoomground.ask(shot, "Open the File menu", endpoint=endpoint)
        assert asked.point_px == zoomground.Point(645.76, 406.0)
        assert list(asked.crops) == ["crop_1.png"]

        async def both() -> tuple[zoomground.Asked, zoomground.Asked]:
            with pytest.raises(ZoomgroundError, match="await zoomground.aask"):
                zoomground.ask(shot, "x", endpoint=endpoint)
            image = shot.read_bytes()
            return await asyncio.gather(*(zoomground.aask(image, "x", endpoint=endpoint) for _ in range(2)))

        assert [one.trajectory.image_name for one in asyncio.run(both())] == ["screenshot.png"] * 2
