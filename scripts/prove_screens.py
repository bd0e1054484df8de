#!/usr/bin/env python
"""Prove the labels of synthetic screens: real clicks, uniqueness from the accessibility tree, text recognition.

    python scripts/prove_screens.py --screens 60 --report proof.json

It makes screens of all kinds, skins, icon sets and languages, labels them as `zoomground synth` does, and checks every
row with means that the generator does not use. The end status is 0 only if all three bars are met.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]

from proofs.reading import WHERE, Read, Reader  # noqa: E402
from proofs.unique import Tree, fitting, same  # noqa: E402

from zoomground.synth import assets as npm  # noqa: E402
from zoomground.synth.browser import Browser, open_browser  # noqa: E402
from zoomground.synth.desktop import builders, compose  # noqa: E402
from zoomground.synth.icons import icon_sets  # noqa: E402
from zoomground.synth.label import Label, label_screen  # noqa: E402
from zoomground.synth.plan import PHONE_KINDS, ScreenSpec, Supply, make_plan  # noqa: E402
from zoomground.synth.skins import skins  # noqa: E402

BARS = {"reach": 0.995, "unique": 1.0, "read": 0.9}


@dataclass
class Proof:
    """What was checked so far."""

    rows: int = 0
    reached: int = 0
    unique: int = 0
    checked: int = 0
    reads: list[Read] = field(default_factory=list)
    missed: list[dict[str, Any]] = field(default_factory=list)
    doubted: list[dict[str, Any]] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    made_of: dict[str, Counter[str]] = field(default_factory=lambda: {k: Counter() for k in _FIGURES})

    def report(self) -> dict[str, Any]:
        """All counts, shares and failures."""
        unread = [one for one in self.reads if not one.good]
        return {
            "targets": self.rows,
            "reach": {"share": _share(self.reached, self.rows), "bar": BARS["reach"], "missed": self.missed},
            "unique": {"share": _share(self.unique, self.checked), "bar": BARS["unique"], "checked": self.checked,
                       "doubted": self.doubted},
            "read": {"share": _share(len(self.reads) - len(unread), len(self.reads)), "bar": BARS["read"],
                     "texts": len(self.reads), "causes": dict(Counter(one.cause for one in unread)),
                     "unread": [vars(one) for one in unread]},
            "rejected": dict(self.rejected),
            "made_of": {key: dict(sorted(counts.items())) for key, counts in self.made_of.items()},
        }  # fmt: skip


_FIGURES = ("kind", "skin", "icon_set", "language", "size", "how", "role")


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 5) if whole else None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Prove the labels of synthetic screens.")
    parser.add_argument("--screens", type=int, default=60, metavar="N")
    parser.add_argument("--rows", type=int, default=25, metavar="N", help="targets a screen (default 25)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--kind", action="append", default=[], help="only this kind of program (may be repeated)")
    parser.add_argument("--texts", type=int, default=12, metavar="N", help="texts to read a screen (default 12)")
    parser.add_argument("--no-ocr", action="store_true", help="leave out the text recognition")
    parser.add_argument("--assets", type=Path, help="node_modules with skins and icon sets")
    parser.add_argument("--browser", help="path of a Chromium")
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    parser.add_argument("--report", type=Path, help="write the whole report to this file")
    return parser.parse_args()


def main() -> int:
    """Run all proofs; 0 if every bar is met."""
    asked = _arguments()
    assets = npm.find(asked.assets)
    kinds = asked.kind or list(builders())
    sets = icon_sets(assets)
    looks = {name: skin for name, skin in skins().items() if npm.has(assets, skin.package)}
    plan = make_plan(Supply(tuple(builders()), tuple(looks), tuple(sets)), seed=asked.seed, heldout_share=0.0)
    everything = make_plan(Supply(tuple(builders()), tuple(looks), tuple(sets)), seed=asked.seed, heldout_share=1.0)
    proof, begun = Proof(), time.monotonic()
    reader = None if asked.no_ocr else Reader()
    with open_browser(asked.browser, assets) as browser:
        for number in range(asked.screens):
            spec = _spec(plan, everything, number, kinds)
            screen = compose(
                spec.kind, looks[spec.skin], size_px=(spec.size.width_px, spec.size.height_px), scale=spec.size.scale,
                language=spec.language, dark=spec.dark, density=spec.density, seed=spec.seed,
            )  # fmt: skip
            drawn = browser.show(screen, looks[spec.skin], sets[spec.icon_set])
            image = browser.image()
            made = label_screen(
                browser, screen, drawn, seed=spec.seed, count=asked.rows, split=spec.split, image=image,
                icons=sets[spec.icon_set],
            )  # fmt: skip
            proof.rejected.update(made.rejected)
            _check(proof, browser, spec, made.rows)
            if reader:
                _read(proof, browser, reader, image, [made.rows, drawn.placed, asked.texts])
            print(f"{number + 1}/{asked.screens} {spec.kind} {spec.skin} {spec.icon_set} {spec.language} {spec.size}: "
                  f"{len(made.rows)} rows, {time.monotonic() - begun:.0f} s", file=sys.stderr)  # fmt: skip
    return _finish(proof.report(), asked)


def _spec(train: Any, heldout: Any, number: int, kinds: list[str]) -> ScreenSpec:
    """A screen of the next kind in turn; whether that is a held-out one does not matter here."""
    kind = kinds[number % len(kinds)]
    for at in range(number * 1000, number * 1000 + 1000):
        for plan in (train, heldout):
            pool = plan.train or plan.heldout
            if pool is None or kind not in pool.kinds:
                continue
            spec: ScreenSpec = plan.screen(at)
            if spec.kind == kind and (kind in PHONE_KINDS) == spec.size.phone:
                return spec
    raise SystemExit(f"no size fits the kind {kind}")


def _check(proof: Proof, browser: Browser, spec: ScreenSpec, rows: tuple[Label, ...]) -> None:
    tree = Tree(browser.page, browser.devtools)
    for row in rows:
        if row.box_px is None:
            continue
        proof.rows += 1
        figures = {"kind": spec.kind, "skin": spec.skin, "icon_set": spec.icon_set, "language": spec.language,
                   "size": str(spec.size), "how": row.meta["how"], "role": row.meta["role"]}  # fmt: skip
        for name, value in figures.items():
            proof.made_of[name][str(value)] += 1
        middle = row.box_px.center
        reached = browser.click(middle.x, middle.y)
        proof.reached += reached == row.meta["index"]
        told = {**figures, "seed": spec.seed, "instruction": row.instruction, "box": _corners(row), **row.meta}
        if reached != row.meta["index"]:
            proof.missed.append({**told, "reached": reached})
        query = row.meta["query"]
        found = fitting(query, row.box_px, tree, spec.language)  # type: ignore[arg-type]
        proof.checked += 1
        if len(found) == 1 and same(found[0].box, row.box_px):
            proof.unique += 1
        else:
            proof.doubted.append(
                {**told, "fits": [[node.role, sorted(node.names), _edges(node.box)] for node in found]}
            )


def _read(proof: Proof, browser: Browser, reader: Reader, image: Any, what: list[Any]) -> None:
    rows, placed, most = what
    texts = [row for row in rows if row.box_px and placed[row.meta["index"]].element.text]
    for row in texts[:most]:
        box = browser.page.evaluate(WHERE, row.meta["index"])
        proof.reads.append(reader.read(image, tuple(box), placed[row.meta["index"]].element.text))


def _corners(row: Label) -> list[float]:
    return _edges(row.box_px) if row.box_px else []


def _edges(box: Any) -> list[float]:
    return [round(edge, 1) for edge in (box.x1, box.y1, box.x2, box.y2)]


def _finish(report: dict[str, Any], asked: argparse.Namespace) -> int:
    text = json.dumps(report, ensure_ascii=False, indent=1)
    if asked.report:
        asked.report.parent.mkdir(parents=True, exist_ok=True)
        asked.report.write_text(text + "\n", encoding="utf-8")
    if asked.json:
        print(text)
    good = True
    for name in ("reach", "unique", "read"):
        share, bar = report[name]["share"], BARS[name]
        met = share is None or share >= bar
        good = good and met
        print(f"{name}: {'not checked' if share is None else f'{share:.4f}'} (bar {bar}) {'' if met else 'NOT MET'}",
              file=sys.stderr)  # fmt: skip
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
