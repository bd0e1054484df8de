"""Held-out episodes before and after GRPO, side by side: ``python scripts/draw_before_after.py RUN --out PICTURE``.

RUN is the run folder of a recipe that evaluated (``output/demo`` or one seed's). Of the items whose outcome changed in
the arm `on`, the first gains and the first losses are drawn, in the order of the rows, so that nobody chose them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from zoomground.data.trajectories import read_records  # noqa: E402
from zoomground.report.draw import draw  # noqa: E402
from zoomground.rewards import hit  # noqa: E402

if TYPE_CHECKING:
    from zoomground.trajectory import Trajectory

WIDTH_PX = 640
"""Width of an episode in the picture."""

GAP_PX = 16
LABEL_PX = 28


def episodes(run: Path, name: str) -> dict[str, Trajectory]:
    """The episodes of a checkpoint with zooming on, by the id of their task."""
    records = (line.record.trajectory for line in read_records(run / "evaluation" / name))
    return {one.task.id: one for one in records if one.settings.arm == "on"}


def side_by_side(before: Trajectory, after: Trajectory, images: Path, label: str) -> Image.Image:
    """One item: the episode before on the left, after on the right."""
    drawn = []
    for trajectory in (before, after):
        picture = draw(trajectory, images / trajectory.task.image)
        drawn.append(
            picture.resize((WIDTH_PX, round(picture.height * WIDTH_PX / picture.width)), Image.Resampling.LANCZOS)
        )
    height = LABEL_PX + max(picture.height for picture in drawn)
    row = Image.new("RGB", (2 * WIDTH_PX + GAP_PX, height), "white")
    ImageDraw.Draw(row).text((4, 6), label, fill="black", font_size=16)
    for number, picture in enumerate(drawn):
        row.paste(picture, (number * (WIDTH_PX + GAP_PX), LABEL_PX))
    return row


def main() -> None:
    """Draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--images", type=Path, default=ROOT / "data_samples" / "boards", help="what paths are relative to"
    )
    parser.add_argument("--gains", type=int, default=2)
    parser.add_argument("--losses", type=int, default=1)
    args = parser.parse_args()
    before, after = episodes(args.run, "start"), episodes(args.run, "grpo")
    rows = []
    for label, count, wanted in (("gained", args.gains, (False, True)), ("lost", args.losses, (True, False))):
        changed = [key for key in before if key in after and (hit(before[key]), hit(after[key])) == wanted]
        print(f"{label}: {len(changed)} of {len(before)}")
        for key in changed[:count]:
            text = f"{label}, {key}: before GRPO (left), after it (right)"
            rows.append(side_by_side(before[key], after[key], args.images, text))
    if not rows:
        raise SystemExit("no outcome changed: there is nothing to draw")
    page = Image.new("RGB", (rows[0].width, sum(row.height + GAP_PX for row in rows)), "white")
    top = 0
    for row in rows:
        page.paste(row, (0, top))
        top += row.height + GAP_PX
    args.out.parent.mkdir(parents=True, exist_ok=True)
    page.quantize(128).save(args.out, optimize=True)


if __name__ == "__main__":
    main()
