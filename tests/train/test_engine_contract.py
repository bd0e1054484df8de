"""What the launcher relies on in ms-swift, held against the installed version."""

from __future__ import annotations

import http.server
from dataclasses import fields
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("swift")

from zoomground.recipe import load_recipe
from zoomground.train.devices import Devices, Kind
from zoomground.train.plan import Process
from zoomground.train.planning import make_plan
from zoomground.train.topology import topology_of

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[2]
OWN_LOOP = {"demo-pretrain", "mini-pretrain"}
RECIPES = sorted(path for path in (ROOT / "recipes").glob("*.toml") if path.stem not in OWN_LOOP)
"""All but those that train in a loop of our own alone."""


def processes(recipe: Path, devices: Devices, **environ: str) -> list[Process]:
    """Every process of ms-swift in a plan."""
    loaded = load_recipe(recipe, {"ZOOMIN_SFT_STEPS": "2"} | environ)
    plan = make_plan(loaded, topology_of(loaded.recipe, devices))
    found: list[Process] = [one for stage in plan.stages for one in (*stage.services, stage)]
    return [one for one in found if "swift.cli.main" in one.argv]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_every_option_of_every_command_is_one_that_it_knows(recipe: Path) -> None:
    """LCH-03. An unknown one ends `swift` after minutes of imports; `swift rollout` and `swift export` know fewer."""
    from swift.arguments import ExportArguments, RLHFArguments, RolloutArguments, SftArguments

    known = {"sft": SftArguments, "rlhf": RLHFArguments, "rollout": RolloutArguments, "export": ExportArguments}
    name = recipe.stem.removesuffix("-credit")
    model = {} if name in {"demo-cpu", "demo-quick", "demo-scratch", "mini-gpu"} else {"MODEL_PATH": "/models/mine"}
    devices = Devices(Kind.GPU, tuple(map(str, range(8))))
    if name in {"demo-cpu", "demo-quick", "demo-scratch"}:
        devices = Devices(Kind.CPU)
    seen = set()
    remedies = {"ZOOMIN_GRPO_DYNAMIC_SAMPLE": "true", "ZOOMIN_GRPO_OVERLONG_FILTER": "true"}
    for process in processes(recipe, devices, **model, **remedies):
        verb = process.argv[process.argv.index("swift.cli.main") + 1]
        seen.add(verb)
        names = {one.name for one in fields(known[verb])}
        if verb == "rollout":
            # Read in another way than the rest, and refused.
            names.discard("check_model")
        assert {word[2:] for word in process.argv if word.startswith("--")} <= names, process.name
    assert {"sft", "rlhf"} <= seen


class Refusing(http.server.BaseHTTPRequestHandler):
    """A rollout server that cannot take new weights."""

    def do_POST(self) -> None:
        self.send_response(500)
        self.end_headers()
        self.wfile.write(b"no room for the new weights")

    def log_message(self, *args: object) -> None:
        pass


class NoBroadcast:
    """A group that would wait for ever for a server that has given up."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name}: the broadcast began although the server had refused")


def test_a_weight_sync_that_the_server_refuses_ends_with_its_text() -> None:
    """RL-15: the status is looked at before the broadcast, in which the trainer would wait for ever."""
    import requests
    from swift.rlhf_trainers.vllm_client import VLLMClient

    server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
    Thread(target=server.serve_forever, daemon=True).start()
    with requests.Session() as session:
        session.trust_env = False
        client = VLLMClient.__new__(VLLMClient)
        client.num_servers, client.sessions = 1, [session]
        client.base_urls = [f"http://127.0.0.1:{server.server_port}"]
        client.pynccl_comms = [NoBroadcast()]
        weights = SimpleNamespace(dtype="torch.bfloat16", shape=(1,))
        with pytest.raises(RuntimeError, match="no room for the new weights"):
            client.update_named_param("w", weights)
        with pytest.raises(RuntimeError, match="no room for the new weights"):
            client.update_flattened_params([], weights)
    server.shutdown()
    server.server_close()


def test_an_episode_ends_before_the_collectives_watchdog_does() -> None:
    """RL-13: an episode lives under ten minutes, and ms-swift's own limit of a collective is far beyond."""
    from swift.arguments import RLHFArguments

    from zoomground.engines.swift.active import EngineSettings

    own = {one.name: one.default for one in fields(EngineSettings)}["deadline_s"]
    theirs = {one.name: one.default for one in fields(RLHFArguments)}["ddp_timeout"]
    assert isinstance(own, float)
    assert own < 600 < theirs
    for process in processes(ROOT / "recipes" / "mini-gpu.toml", Devices(Kind.GPU, ("0", "1"))):
        assert "--ddp_timeout" not in process.argv
