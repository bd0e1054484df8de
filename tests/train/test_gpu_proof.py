"""The proof on GPUs without one: what each mode would start, and how what it left is read."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from saved import episode, picture, scored
from zoomground.recipe import load_recipe
from zoomground.train.devices import Devices, Kind
from zoomground.train.hardware import batch_problems
from zoomground.train.planning import make_plan
from zoomground.train.topology import Mode, Topology, topology_of

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "recipes" / "mini-gpu.toml"


@pytest.fixture(autouse=True)
def scripts_are_importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "gpu_proof"]:
        del sys.modules[name]


def part(name: str) -> ModuleType:
    return importlib.import_module(f"gpu_proof.{name}")


def topology(tmp_path: Path, name: str, **given: str) -> Topology:
    """Who does what in a mode, on two devices."""
    bench, modes = part("bench"), part("modes")
    two = bench.Bench(tmp_path, RECIPE, {key.replace("__", "."): text for key, text in given.items()}, ("4", "5"))
    mode = modes.TRAININGS[name]
    run = two.run_of(name, mode.own, modes.devices(two, mode.uses), servers=max(1, mode.servers))
    loaded = load_recipe(RECIPE, run.variables)
    made = topology_of(loaded.recipe, Devices(Kind.GPU, run.devices))
    assert batch_problems(loaded.recipe, made.world_size) == []
    assert make_plan(loaded, made).folder.root == tmp_path / name
    assert not loaded.recipe.data.heldout
    return made


@pytest.mark.parametrize(
    ("name", "mode", "served", "trains_on"),
    [
        ("server", Mode.SERVER, [("4",)], ("5",)),
        ("colocate", Mode.COLOCATE, [], ("4",)),
        ("lora", Mode.COLOCATE, [], ("4",)),
        ("zero3", Mode.COLOCATE, [], ("4", "5")),
        ("two-servers", Mode.SERVER, [("4",), ("4",)], ("5",)),
    ],
)
def test_every_mode_has_a_plan(
    tmp_path: Path, name: str, mode: Mode, served: list[tuple[str, ...]], trains_on: tuple[str, ...]
) -> None:
    made = topology(tmp_path, name)
    assert made.mode is mode
    assert [server.devices for server in made.servers] == served
    assert made.nodes[0].trains_on == trains_on


def test_what_the_caller_sets_wins_over_the_mode(tmp_path: Path) -> None:
    bench, modes = part("bench"), part("modes")
    one = bench.Bench(tmp_path, RECIPE, {"grpo.steps": "7"}, ("0",), start=tmp_path / "model")
    run = one.run_of("lora", modes.TRAININGS["lora"].own, ("0",))
    recipe = load_recipe(RECIPE, run.variables).recipe
    assert (recipe.grpo.steps, recipe.sft.steps, recipe.engine.tuner) == (7, 0, "lora")
    assert (recipe.model.path, recipe.model.build.arch) == (str(tmp_path / "model"), "")
    assert run.wanted == 7


def test_too_few_devices_are_refused(tmp_path: Path) -> None:
    bench = part("bench").Bench(tmp_path, RECIPE, {}, ("0",))
    with pytest.raises(SystemExit, match="needs 2 devices"):
        part("modes").devices(bench, (0, 1))
    assert part("modes").devices(part("bench").Bench(tmp_path, RECIPE, {}, ()), (0, 1)) == ()


def test_only_the_first_screenshot_breaks(tmp_path: Path) -> None:
    faults, names = part("faults"), part("fault_names")
    rows = faults.write_rows(part("bench").Bench(tmp_path, RECIPE, {}, ()), 6)
    read = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in read[:4]] == [names.IMAGE, names.LONG, names.MEDIA, names.NAN]
    assert len(read) == 6
    assert all((rows.parent / row["images"][0]).is_file() for row in read)
    assert read[0]["images"] not in [row["images"] for row in read[1:]]


def test_the_environments_share_of_a_step() -> None:
    figures = part("figures")
    proof = figures.Proof("server")
    names = {"generation": 8, "reward": 0.1, "environment_longest": 0.3}
    step = {"step_time": 10.0} | {f"zoomin/seconds/{name}": seconds for name, seconds in names.items()}
    # The first step, in which everything is made ready, is left out.
    proof.seconds = figures.seconds([{"step_time": 99.0}, step])
    figures.time_kept(proof)
    assert proof.lines[-1].found == "4.0%"
    assert proof.lines[-1].met
    proof.seconds["environment"] = 0.5
    figures.time_kept(proof)
    assert (proof.lines[-1].found, proof.lines[-1].met) == ("6.0%", False)
    assert "| environment and rewards, share of a step | 6.0% | below 5% | NO |" in proof.text()


def test_agreement_is_asked_for_and_not_taken_for_granted() -> None:
    figures = part("figures")
    proof = figures.Proof("server")
    figures.agreed(proof, [])
    assert not any(line.met for line in proof.lines)
    good = {"rollout_correction/log_ppl_abs_diff": 0.005, "zoomin/importance_off": 0, "zoomin/logprob_mismatch": 0}
    proof = figures.Proof("server")
    figures.agreed(proof, [good, good])
    assert all(line.met for line in proof.lines)


def test_what_was_played_is_counted(tmp_path: Path) -> None:
    figures = part("figures")
    played = [scored(episode(picture(tmp_path / "a.png")), "one", step=1, prompt_group=0, generation=0)]
    proof = figures.Proof("server")
    figures.played(proof, played, many=True)
    met = {line.what: line.met for line in proof.lines}
    assert met["failed episodes"]
    assert not met["crops of crops"]


def test_the_optimizers_count_is_found_wherever_it_is_kept(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    plain = {"state": {0: {"step": torch.tensor(6.0), "exp_avg": torch.zeros(1)}}, "param_groups": [{"lr": 1}]}
    torch.save(plain, tmp_path / "optimizer.pt")
    folder = tmp_path / "global_step6"
    folder.mkdir()
    torch.save({"optimizer_state_dict": {"base_optimizer_state": plain}}, folder / "zero_pp_rank_0_optim_states.pt")
    assert list(part("kills").optimizer_steps(tmp_path)) == [6, 6]
