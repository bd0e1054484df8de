"""What codecs make of screens and crops: ``python benchmarks/encoders.py [--quick]``. A table to choose by."""

from __future__ import annotations

import io
import math
import random
import time
from dataclasses import dataclass
from typing import Any

from bench import screens
from bench.result import Result, Table, arguments, finish
from bench.setups import RECIPES, settings_of
from PIL import Image, ImageChops, ImageStat

from zoomground.geometry import Region, Size

METHOD = """\
Each codec on the same pictures: whole screens, and crops as each set-up shows them (a quarter to a half of the sides of
a 4K screen, resampled once). Bytes are kB of the file (base64 adds a third); encode and decode are CPU ms of one
thread, best of the rounds, means over the pictures. PSNR is against the encoded picture, over all its pixels and
channels; inf: lossless. Of the WebP lines m is the method (0: fastest)."""

_DEEPEST = 255.0


@dataclass(frozen=True)
class Codec:
    """One way to encode.

    Attributes:
        name: What the table calls it.
        format: Pillow's name of the format.
        options: What Pillow's ``save`` is told.
        slow: Whether the quick form leaves it out.
    """

    name: str
    format: str
    options: dict[str, Any]
    slow: bool = False

    def encode(self, picture: Image.Image) -> bytes:
        """The file."""
        buffer = io.BytesIO()
        picture.save(buffer, self.format, **self.options)
        return buffer.getvalue()


def _jpeg(quality: int, chroma: str) -> Codec:
    options = {"quality": quality, "subsampling": {"4:4:4": 0, "4:2:0": 2}[chroma]}
    return Codec(
        f"JPEG {quality} {chroma}", "JPEG", options, slow=(quality, chroma) not in {(90, "4:4:4"), (90, "4:2:0")}
    )


CODECS = (
    *(Codec(f"PNG {level}", "PNG", {"compress_level": level}, slow=level in {0, 3}) for level in (0, 1, 3, 6)),
    Codec("PNG 1, run lengths", "PNG", {"compress_level": 1, "compress_type": 3}, slow=True),
    *(_jpeg(quality, chroma) for quality in (85, 90, 95) for chroma in ("4:4:4", "4:2:0")),
    Codec("WebP lossless m0", "WEBP", {"lossless": True, "method": 0, "quality": 0}, slow=True),
    Codec("WebP lossless m4", "WEBP", {"lossless": True, "method": 4, "quality": 20}, slow=True),
    Codec("WebP 80 m0", "WEBP", {"quality": 80, "method": 0}),
    Codec("WebP 90 m0", "WEBP", {"quality": 90, "method": 0}, slow=True),
    Codec("WebP 90 m4", "WEBP", {"quality": 90, "method": 4}, slow=True),
)


@dataclass
class Measured:
    """What a codec made of one picture."""

    chars: int
    encode_ms: float
    decode_ms: float
    psnr_db: float


def psnr_db(a: Image.Image, b: Image.Image) -> float:
    """Peak signal to noise ratio of two RGB pictures, dB; infinite if they are equal."""
    squares = ImageStat.Stat(ImageChops.difference(a, b)).sum2
    mean = sum(squares) / (3 * a.width * a.height)
    return math.inf if mean == 0 else 10 * math.log10(_DEEPEST**2 / mean)


def measure(codec: Codec, picture: Image.Image, rounds: int) -> Measured:
    """Encode and decode."""
    best = Measured(0, math.inf, math.inf, 0.0)
    for _ in range(rounds):
        at = time.process_time()
        data = codec.encode(picture)
        encoded_s = time.process_time()
        back = Image.open(io.BytesIO(data))
        back.load()
        decoded_s = time.process_time()
        best = Measured(
            len(data),
            min(best.encode_ms, 1000 * (encoded_s - at)),
            min(best.decode_ms, 1000 * (decoded_s - encoded_s)),
            best.psnr_db,
        )
    best.psnr_db = psnr_db(picture, back.convert("RGB"))
    return best


def subjects(crops: int) -> dict[str, list[Image.Image]]:
    """Whole screens, and crops of each set-up."""
    found = {f"screen {size.width}x{size.height}": [screens.draw(size, 0)] for size in (screens.FULL_HD, screens.UHD)}
    screen = screens.draw(screens.UHD, 1)
    dice = random.Random(0)
    regions = []
    for _ in range(crops):
        width, height = (round(side * dice.uniform(0.25, 0.5)) for side in screen.size)
        x, y = dice.randint(0, screen.width - width), dice.randint(0, screen.height - height)
        regions.append(Region(x, y, x + width, y + height, Size(*screen.size)))
    for name in RECIPES:
        settings = settings_of(name)
        found[f"crops, {name}"] = [
            screen.crop((one.x1, one.y1, one.x2, one.y2)).resize((shown.width, shown.height), Image.Resampling.LANCZOS)
            for one in regions
            for shown in [settings.limits.shown_size(one.size, settings.crop_upscale_factor, settings.crop_max_pixels)]
        ]
    return found


def table(title: str, pictures: list[Image.Image], codecs: list[Codec], rounds: int) -> Table:
    """One kind of picture."""
    rows: list[tuple[str | float | int, ...]] = []
    for codec in codecs:
        found = [measure(codec, picture, rounds) for picture in pictures]
        means = (sum(getattr(one, name) for one in found) / len(found) for name in ("encode_ms", "decode_ms"))
        worst_db = min(one.psnr_db for one in found)
        kb = sum(one.chars for one in found) / len(found) / 1000
        rows.append((codec.name, kb, *means, "inf" if math.isinf(worst_db) else worst_db))
    area = sum(picture.width * picture.height for picture in pictures) / len(pictures) / 1e6
    return Table(f"{title} ({area:.2f} MP)", ("", "kB", "encode ms", "decode ms", "least PSNR dB"), rows)


def main() -> None:
    """Measure all codecs on all kinds of pictures."""
    parser = arguments(__doc__)
    parser.add_argument("--crops", type=int, default=2, help="crops of each set-up")
    parser.add_argument("--rounds", type=int, default=1)
    chosen = parser.parse_args()
    codecs = [codec for codec in CODECS if not (chosen.quick and codec.slow)]
    found = subjects(1 if chosen.quick else chosen.crops)
    tables = [table(title, pictures, codecs, chosen.rounds) for title, pictures in found.items()]
    finish(Result("encoders", METHOD, chosen.quick, tables=tables), chosen.json)


if __name__ == "__main__":
    main()
