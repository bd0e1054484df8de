"""Render the shipped screens: real HTML and CSS in headless Chromium, boxes from the DOM, every target checked.

    pip install -e ".[synth]"
    apt-get install -y chromium-headless-shell fonts-dejavu-core fonts-liberation
    python scripts/render_screens.py                      # data_samples/screens and the prompt rows beside it
    python scripts/render_screens.py --twice              # the same, and proof that a second rendering gives the same
    python scripts/render_screens.py --out /tmp/s --only mail-1 chat-101

Same browser and fonts, same pixels and same rows: the plan below is all that they depend on. The words, icons, style,
page kinds, browser and gates are in ``scripts/screens/``.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from screens.browser import Browser, NoBrowserError, find_browser, open_browser
from screens.gates import LARGE_PX, SMALL_PX, Target, choose, passing
from screens.page import Page, PageSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
MAX_BYTES = 4_000_000
SIZES = {"S": (1280, 800), "M": (1440, 900), "L": (1600, 900), "H": (1920, 1080), "Q": (2560, 1440)}

# kind: one entry a page, size and theme (l: light, d: dark). The seed is the number of the page within its kind, for
# held-out pages from 101 on: they draw from the other half of every word pool, and wear skins that no train page wears.
TRAIN = {
    "mail": "Sl Hd Ml",
    "writer": "Ml Hd Sl",
    "records": "Sd Hl",
    "dialog": "Sl Md Hl",
    "form": "Sl Ld Hl",
    "palette": "Sd Ll",
    "code": "Sd Ml Hd",
    "settings": "Sl Md",
    "dashboard": "Ml Hd",
    "timeline": "Sd Hl Ld",
    "calendar": "Sl Ld",
    "files": "Md Ql",
}
HELDOUT = {
    "mail": "Md",
    "writer": "Ll",
    "records": "Ml",
    "dialog": "Hd",
    "form": "Ml",
    "palette": "Hd",
    "code": "Ll",
    "files": "Sd",
    "spreadsheet": "Sl Hd",
    "chat": "Md Ll",
}


def plan() -> list[PageSpec]:
    """All pages, train first."""
    out = []
    for split, kinds, first in (("train", TRAIN, 1), ("heldout", HELDOUT, 101)):
        for kind, entries in kinds.items():
            for number, (size, theme) in enumerate(entries.split(), first):
                width, height = SIZES[size]
                out.append(PageSpec(split, kind, width, height, "light" if theme == "l" else "dark", number))
    return out


def rendered(browser: Browser, spec: PageSpec, faults: Counter[str]) -> tuple[Image.Image, list[Target]]:
    """The picture of a page, and its chosen targets."""
    page = Page(spec)
    body = importlib.import_module(f"screens.kinds.{spec.kind}").build(page)
    labels = [candidate.label for candidate in page.candidates]
    shot = browser.render(page.document(body), spec.width, spec.height, labels)
    image = Image.open(io.BytesIO(shot.png)).convert("RGB")
    return image, choose(page, passing(page, shot.targets, image, faults))


def image_path(page: str) -> str:
    """Where a page's picture lies, relative to the rows.

    Every picture has the same base name, which is all of the path that a policy gets to read: the name of a file must
    not tell what is on the screen.
    """
    return f"images/{page}/screen.webp"


def rows_of(spec: PageSpec, targets: list[Target]) -> Iterator[dict[str, Any]]:
    """Training rows of a page."""
    for number, target in enumerate(targets, 1):
        box = ",".join(f"{value:g}" for value in target.box_px)
        yield {
            "problem": f"<image>{target.instruction}",
            "solution": f"[{box}]",
            "images": [image_path(spec.name)],
            "id": f"{spec.name}/{number}",
            "meta": {
                "page": spec.name,
                "kind": spec.kind,
                "theme": spec.theme,
                "width": spec.width,
                "height": spec.height,
                "role": target.role,
                "seed": spec.seed,
                "how": target.how,
            },
        }


def write(path: Path, data: bytes) -> None:
    """Write a file beside its place and rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    partial.replace(path)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as JSON lines."""
    write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())


def lossless(image: Image.Image) -> bytes:
    """The picture as lossless WebP."""
    out = io.BytesIO()
    image.save(out, "WEBP", lossless=True, quality=100, method=6)
    return out.getvalue()


def short_px(row: dict[str, Any]) -> float:
    """Short side of a row's box in px."""
    left, top, right, bottom = json.loads(row["solution"])
    return min(right - left, bottom - top)


def write_prompts(train: list[dict[str, Any]], screens: Path, out: Path) -> None:
    """The classic script's default data: eight train rows, one small and one large target on each of four screens."""
    sizes = {row["images"][0]: (screens / row["images"][0]).stat().st_size for row in train}
    kinds: set[str] = set()
    chosen: list[dict[str, Any]] = []
    for image in sorted(sizes, key=lambda name: sizes[name]):
        rows = [row for row in train if row["images"][0] == image]
        kind = rows[0]["meta"]["kind"]
        roles = {row["meta"]["role"] for row in chosen}
        small = [row for row in rows if short_px(row) < SMALL_PX and row["meta"]["role"] not in roles]
        large = [row for row in rows if short_px(row) >= LARGE_PX]
        if kind in kinds or not small or not large or len(kinds) == 4:
            continue
        kinds.add(kind)
        chosen += [small[0], large[0]]
        (out / image).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(screens / image, out / image)
    remove_others(out, {row["images"][0] for row in chosen})
    write_rows(out / "train.jsonl", chosen)


def remove_others(folder: Path, kept: set[str]) -> None:
    """Remove the pictures of pages that are no longer there."""
    for old in (folder / "images").glob("*/*.webp"):
        if old.relative_to(folder).as_posix() not in kept:
            shutil.rmtree(old.parent)


def render(browser: Browser, specs: list[PageSpec], out: Path, *, twice: bool) -> dict[str, list[dict[str, Any]]]:
    """Render pages into a folder; rows by split.

    Raises:
        RuntimeError: A second rendering gave something else, or a page has too few targets.
    """
    rows: dict[str, list[dict[str, Any]]] = {"train": [], "heldout": []}
    total: Counter[str] = Counter()
    for spec in specs:
        faults: Counter[str] = Counter()
        image, targets = rendered(browser, spec, faults)
        if twice:
            again, same_targets = rendered(browser, spec, Counter())
            if again.tobytes() != image.tobytes() or same_targets != targets:
                raise RuntimeError(f"{spec.name}: a second rendering gave other pixels or other targets")
        if len(targets) < 6:
            raise RuntimeError(f"{spec.name}: only {len(targets)} targets pass the gates ({dict(faults)})")
        data = lossless(image)
        write(out / image_path(spec.name), data)
        rows[spec.split] += rows_of(spec, targets)
        total += faults
        small = sum(target.short_px < SMALL_PX for target in targets)
        print(
            f"{spec.name:16} {len(data) / 1000:6.0f} KB  {len(targets)} targets, {small} small; rejected {dict(faults)}"
        )
    print(f"rejected in all: {dict(total)}")
    return rows


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "data_samples" / "screens", help="folder of rows and images")
    parser.add_argument("--only", nargs="+", metavar="PAGE", help="render these pages only, such as mail-1")
    parser.add_argument("--browser", help="path of a Chromium, if none is found by name")
    parser.add_argument("--twice", action="store_true", help="render each page twice and compare")
    args = parser.parse_args()
    specs = plan()
    unknown = sorted(set(args.only or ()) - {spec.name for spec in specs})
    if unknown:
        print(
            f"unknown page {', '.join(unknown)}; there are: {', '.join(spec.name for spec in specs)}", file=sys.stderr
        )
        return 2
    if args.only:
        specs = [spec for spec in specs if spec.name in args.only]
    try:
        path = find_browser(args.browser)
    except NoBrowserError as error:
        print(error, file=sys.stderr)
        return 2
    with open_browser(path) as browser:
        print(f"{path} {browser.version}")
        rows = render(browser, specs, args.out, twice=args.twice)
    for split, found in rows.items():
        write_rows(args.out / f"{split}.jsonl", found)
    if args.only:
        return 0
    remove_others(args.out, {image_path(spec.name) for spec in specs})
    write_prompts(rows["train"], args.out, args.out.parent / "grpo_train_prompts")
    size = sum(image.stat().st_size for image in args.out.parent.glob("*/images/*/*.webp"))
    print(f"{len(rows['train'])} train rows, {len(rows['heldout'])} held-out rows, {size / 1e6:.2f} MB of images")
    if size > MAX_BYTES:
        print(f"the images take more than {MAX_BYTES} bytes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
