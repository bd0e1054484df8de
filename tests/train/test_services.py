"""Rollout servers beside a stage: waited for, watched, ended. Small Python programs with real sockets."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from zoomground.errors import LaunchError
from zoomground.train import launch
from zoomground.train.launch import answers, first_failed_rank, locked, run_stage
from zoomground.train.meeting import Alone
from zoomground.train.plan import TRAIN_MASTER, Service, Stage

SERVER = """
import http.server, pathlib, sys
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        {answer}
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", {port}), Health)
{before}
server.serve_forever()
"""
WELL = "self.send_response(200 if self.path == '/health' else 404); self.end_headers()"


class Over(Alone):
    """A meeting whose first training node is done with the stage at the third look."""

    looks = 0

    def is_over(self, stage: str) -> bool:
        self.looks += 1
        return self.looks > 2


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "POLL_S", 0.02)
    monkeypatch.setattr(launch, "GRACE_S", 0.5)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def service(folder: Path, *, answer: str = WELL, before: str = "", start_s: float = 30.0) -> Service:
    port = free_port()
    note = f"import os; open('server.pid', 'w').write(str(os.getpid())); print('server begins')\n{before}"
    program = SERVER.format(port=port, answer=answer, before=note)
    return Service(
        "rollout-0", (sys.executable, "-c", program), folder / "rollout-0.log",
        url=f"http://127.0.0.1:{port}", start_s=start_s,
    )  # fmt: skip


def stage(folder: Path, one: Service, program: str = "print('trained')", **more: object) -> Stage:
    argv = (sys.executable, "-c", program) if program else ()
    needs = (one.url,) if program else ()
    return Stage("grpo", argv, folder / "grpo.log", services=(one,), needs=needs, **more)  # type: ignore[arg-type]


def run(folder: Path, what: Stage, meeting: Alone | None = None) -> None:
    with locked(folder / ".lock") as lock:
        run_stage(what, cwd=folder, lock=lock, watch=lambda _: None, meeting=meeting)


def runs(pid_file: Path) -> bool:
    pid = pid_file.read_text(encoding="utf-8")
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout
    return state.strip()[:1] not in {"", "Z"}


def test_the_command_starts_when_the_server_answers_and_the_server_ends_with_it(tmp_path: Path) -> None:
    one = service(tmp_path)
    program = f"import urllib.request as u; print('status', u.urlopen('{one.url}/health').status)"
    run(tmp_path, stage(tmp_path, one, program))
    assert "status 200" in (tmp_path / "grpo.log").read_text()
    assert not runs(tmp_path / "server.pid")


def test_a_server_that_dies_ends_the_job_with_the_end_of_its_log(tmp_path: Path) -> None:
    """Its death is what the test waits for: the command itself never ends."""
    dies = "self.send_response(200); self.end_headers(); print('out of memory', flush=True); __import__('os')._exit(7)"
    one = service(tmp_path, answer=dies)
    waits = "import os, signal; open('trainer.pid', 'w').write(str(os.getpid())); signal.pause()"
    with pytest.raises(LaunchError) as caught:
        run(tmp_path, stage(tmp_path, one, waits))
    assert "rollout server 'rollout-0' ended with exit code 7" in str(caught.value)
    assert "out of memory" in str(caught.value)
    assert str(one.log) in str(caught.value)
    if (tmp_path / "trainer.pid").exists():
        assert not runs(tmp_path / "trainer.pid")


def test_a_server_that_ends_before_it_answers(tmp_path: Path) -> None:
    one = service(tmp_path, before="print('no such model'); sys.exit(3)")
    with pytest.raises(LaunchError, match=r"(?s)rollout-0' ended with exit code 3.*no such model"):
        run(tmp_path, stage(tmp_path, one))
    assert not (tmp_path / "grpo.log").exists()


def test_a_server_that_never_answers_is_given_up(tmp_path: Path) -> None:
    one = service(tmp_path, answer="self.send_response(503); self.end_headers()", start_s=0.3)
    with pytest.raises(LaunchError) as caught:
        run(tmp_path, stage(tmp_path, one))
    assert f"the rollout server {one.url} did not answer within 0 s" in str(caught.value)
    assert str(one.log) in str(caught.value)
    # On a busy machine it may be given up before it began.
    assert not (tmp_path / "server.pid").exists() or not runs(tmp_path / "server.pid")


def test_a_failed_command_ends_the_server(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="stage 'grpo' ended with exit code 5"):
        run(tmp_path, stage(tmp_path, service(tmp_path), "raise SystemExit(5)"))
    assert not runs(tmp_path / "server.pid")


def test_a_node_that_only_serves_does_so_until_training_is_over(tmp_path: Path) -> None:
    meeting = Over()
    run(tmp_path, stage(tmp_path, service(tmp_path), ""), meeting)
    assert meeting.looks == 3
    assert not runs(tmp_path / "server.pid")
    assert not (tmp_path / "grpo.log").exists()


def test_the_address_of_the_first_training_node_is_filled_in(tmp_path: Path) -> None:
    argv = (sys.executable, "-c", "import os; print('master', os.environ['MASTER_ADDR'])")
    run(tmp_path, Stage("sft", argv, tmp_path / "sft.log", env={"MASTER_ADDR": TRAIN_MASTER}))
    assert "master 127.0.0.1" in (tmp_path / "sft.log").read_text()


def test_a_proxy_is_not_asked_for_the_machines_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    run(tmp_path, stage(tmp_path, service(tmp_path)))
    assert "trained" in (tmp_path / "grpo.log").read_text()


def test_nothing_answers_at_a_closed_port() -> None:
    assert not answers(f"http://127.0.0.1:{free_port()}")


def test_the_rank_that_failed_first_is_named(tmp_path: Path) -> None:
    log = tmp_path / "grpo.log"
    cause = "Root Cause (first observed failure):\n[0]:\n  rank      : 3 (local_rank: 1)\n  exitcode  : 1\n"
    log.write_text(cause, encoding="utf-8")
    assert first_failed_rank(log) == 3
    log.write_text("no torchrun here\n")
    assert first_failed_rank(log) is None


@pytest.mark.engine
def test_torchrun_names_the_rank_and_each_rank_has_a_log(tmp_path: Path) -> None:
    """The real torchrun, the variables of a plan: two ranks, of which the second fails."""
    pytest.importorskip("torch")
    work = "import os\nrank = int(os.environ['RANK'])\nprint('I am', rank)\nraise SystemExit(4 * rank)\n"
    (tmp_path / "work.py").write_text(work, encoding="utf-8")
    head = (sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2")
    argv = (*head, "--master_port", str(free_port()), "work.py")
    ranks = {"PET_LOG_DIR": str(tmp_path / "ranks"), "PET_REDIRECTS": "3", "PET_TEE": "3"}
    with pytest.raises(LaunchError, match=r"rank 1 failed first"):
        run(tmp_path, Stage("grpo", argv, tmp_path / "grpo.log", env=ranks))
    logs = {path.parent.name: path.read_text() for path in (tmp_path / "ranks").rglob("stdout.log")}
    assert logs == {"0": "I am 0\n", "1": "I am 1\n"}
