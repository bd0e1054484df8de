"""The proof on GPUs without one: what each mode would start, and how what it left is read."""

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from episodes import crop_text, point_text
from saved import MISS, ZOOM_HIT, episode, group, picture, scored
from zoomground.data.health_log import HealthLine
from zoomground.data.rows import read_rows
from zoomground.data.trajectories import SavedRecord
from zoomground.recipe import Recipe, load_recipe
from zoomground.rewards.turn_credit import turn_credit
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


def topology(tmp_path: Path, name: str, devices: tuple[str, ...] = ("4", "5")) -> Topology:
    """Who does what in a mode."""
    bench, modes = part("bench"), part("modes")
    own = bench.Bench(tmp_path, RECIPE, {}, devices)
    mode = modes.TRAININGS[name]
    run = own.run_of(name, mode.own, modes.devices_for(own, name), servers=max(1, mode.servers))
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
        ("step", Mode.SERVER, [("4",), ("4",), ("4",)], ("5",)),
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


@pytest.mark.parametrize("name", ["colocate", "lora", "zero3"])
def test_one_device_is_enough_without_a_server(tmp_path: Path, name: str) -> None:
    made = topology(tmp_path, name, ("3",))
    assert (made.mode, made.servers, made.nodes[0].trains_on) == (Mode.COLOCATE, (), ("3",))


@pytest.mark.parametrize("name", ["server", "two-servers", "step"])
def test_servers_need_two_devices(tmp_path: Path, name: str) -> None:
    bench = part("bench").Bench(tmp_path, RECIPE, {}, ("0",))
    with pytest.raises(SystemExit, match=f"{name}: this mode needs 2 devices, CUDA_VISIBLE_DEVICES shows 1"):
        part("modes").devices_for(bench, name)
    assert part("modes").devices_for(part("bench").Bench(tmp_path, RECIPE, {}, ()), name) == ()


def test_no_two_runs_of_a_proof_share_a_port(tmp_path: Path) -> None:
    bench, modes = part("bench"), part("modes")
    ports = []
    for name in ("server", "two-servers", "lora"):
        # Calls of their own, which know nothing of one another but the folder.
        run = bench.Bench(tmp_path, RECIPE, {}, ()).run_of(name, modes.FEW, (), servers=2)
        for key in ("cluster.master_port", "rollouts.ports", "rollouts.group_ports"):
            ports += run.variables[bench.NAMES[key]].split()
    assert len(set(ports)) == len(ports) == 15
    assert all(bench.FIRST_PORT <= int(port) < bench.LAST_PORT for port in ports)


@pytest.mark.parametrize("name", ["CREDIT", "UNSURE"])
def test_credit_filter_and_remedies_go_together_on_one_device(tmp_path: Path, name: str) -> None:
    bench, turns = part("bench"), part("turns")
    one = bench.Bench(tmp_path, RECIPE, {}, ("0",))
    run = one.run_of("credit", getattr(turns, name) | {"data.train": turns.write_wide_rows(one)}, ("0",))
    loaded = load_recipe(RECIPE, run.variables)
    made = topology_of(loaded.recipe, Devices(Kind.GPU, run.devices))
    assert batch_problems(loaded.recipe, made.world_size) == []
    [command] = [one.argv for one in make_plan(loaded, made).stages if one.name == "grpo"]
    assert {"--dynamic_sample", "--overlong_filter"} <= set(command)
    assert (loaded.recipe.grpo.crop_resample, bool(loaded.recipe.credit.coefficient)) == (0.5, name == "CREDIT")


def test_most_targets_are_wide(tmp_path: Path) -> None:
    file = part("turns").write_wide_rows(part("bench").Bench(tmp_path, RECIPE, {}, ()))
    tasks = [row.task for row in read_rows(file)]
    shares = [task.place.box.area / task.size.area for task in tasks if task.place is not None]
    wide = sum(share == pytest.approx(1 / 16) for share in shares)
    assert wide == len(tasks) - -(-len(tasks) // 4)
    assert sum(share < 1 / 16 for share in shares) > 0


def unmet(proof: object) -> list[str]:
    return [line.what for line in proof.lines if not line.met]  # type: ignore[attr-defined]


def credited_group(tmp_path: Path) -> tuple[Recipe, list[SavedRecord]]:
    """Three rollouts of a prompt with their credit, and what leaves by it."""
    given = {part("bench").NAMES[key]: str(value) for key, value in part("turns").CREDIT.items()}
    recipe = load_recipe(RECIPE, given).recipe
    image = picture(tmp_path / "screen.png")
    texts = (ZOOM_HIT, (crop_text(100, 100, 900, 900), point_text(504.5, 507.5)), MISS)
    played = [episode(image, one) for one in texts]
    terms = turn_credit(played, recipe.credit.coefficient, recipe.reward_settings)
    records = [
        replace(record, turn_credit=list(own))
        for record, own in zip(group(played, step=1, number=0), terms, strict=True)
    ]
    by_rule = part("turns")._by_the_rule
    return recipe, [replace(record, turns_out=by_rule(record, recipe)) for record in records]


def test_credit_that_does_not_add_up_is_seen(tmp_path: Path) -> None:
    turns, figures = part("turns"), part("figures")
    recipe, records = credited_group(tmp_path)
    proof = figures.Proof("credit")
    turns.credited(proof, recipe, records, [{"zoomin/credited_turns": 2.0}])
    assert unmet(proof) == []
    first = records[0].turn_credit
    wrong = [replace(records[0], turn_credit=[first[0] + 0.1, *first[1:]]), *records[1:]]
    proof = figures.Proof("credit")
    turns.credited(proof, recipe, wrong, [{"zoomin/credited_turns": 3.0}])
    assert unmet(proof) == [
        "credited turns in the trajectories",
        "sum of a group's terms by turn number, furthest from 0",
        "terms, from those of the saved episodes, furthest",
    ]


def test_turns_that_left_against_the_rule_are_seen(tmp_path: Path) -> None:
    turns, figures = part("turns"), part("figures")
    recipe, records = credited_group(tmp_path)
    out = [reason for record in records for reason in record.turns_out]
    step = {"zoomin/turns_unmatched": 0.0, "zoomin/turns_out/idle": float(out.count("idle"))}
    step["zoomin/turns_out/good"] = float(out.count("good"))
    proof = figures.Proof("credit")
    turns.filtered(proof, recipe, records, [step])
    assert unmet(proof) == []
    last = records[0]
    wrong = [replace(last, turns_out=["good"] * len(last.trajectory.turns)), *records[1:]]
    proof = figures.Proof("credit")
    turns.filtered(proof, recipe, wrong, [step])
    assert "the same in the trajectories" in unmet(proof)
    assert "episodes of which other turns left than the rule says" in unmet(proof)


def test_remedies_are_read_from_the_health_record(tmp_path: Path) -> None:
    turns, figures = part("turns"), part("figures")
    recipe, records = credited_group(tmp_path)
    grpo = recipe.grpo.model_copy(update={"steps": 1, "prompts_per_step": 1, "num_generations": 3})
    recipe = recipe.model_copy(update={"grpo": grpo})
    again = {"asked_again": {"id": "t1"}}
    asked = [
        replace(one, trajectory=replace(one.trajectory, task=replace(one.trajectory.task, meta=again)))
        for one in records
    ]
    told = {"asked_again": 1.0, "drawn_again": 1.0, "groups_drawn": 1.0, "first/groups_alike": 1.0, "groups_alike": 0.0}
    proof = figures.Proof("remedies")
    turns.remedied(proof, recipe, asked, [HealthLine(1, told)], draws=1)
    assert unmet(proof) == []
    proof = figures.Proof("remedies")
    turns.remedied(proof, recipe, records[1:], [HealthLine(1)], draws=0)
    assert unmet(proof) == [line.what for line in proof.lines[1:]]


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
