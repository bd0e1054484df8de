"""Packs what `zoomground synth` needs on a Linux machine with a bare Python: no network there, no browser, no fonts.

Run it where Debian's chromium-headless-shell and pip are: the folder holds that browser, every shared library but
glibc's, fonts, the Python packages of the extra ``synth``, and the files that skins and icon sets read. Beside it come
pieces of a .tar.xz and their SHA-256.

    python scripts/pack_screens_kit.py OUT --without numpy pillow

On the machine, with a copy of ``src``:

    cat screens.tar.xz.* | xz -dc | tar -C /tmp/kit -xf - && bash /tmp/kit/setup.sh
    ZOOMGROUND_SRC=src bash /tmp/kit/synth --out screens --screens 100 --elements --rows-per-screen 0 --quick
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from fontTools import subset  # comes with matplotlib
from fontTools.ttLib import TTCollection

from zoomground.synth import assets as npm
from zoomground.synth.icons import icon_sets
from zoomground.synth.icons.own import ICONS
from zoomground.synth.skins import available_skins

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = ("headless_*.pak", "icudtl.dat", "snapshot_blob.bin", "v8_context_snapshot.bin")
"""What the headless shell reads beside itself: no locales, and nothing for a graphics card."""

GLIBC = re.compile(r"/(libc|libm|libpthread|libdl|librt|libresolv|ld-linux-x86-64)\.so")
NSS = ("libsoftokn3", "libfreebl3", "libfreeblpriv3")
"""Loaded by name while the browser runs, so that ldd does not know of them."""

FONTS = ("liberation", "dejavu")
CJK_FACES, CJK_FAMILY = ("NotoSansCJK-Regular", "NotoSansCJK-Bold"), "Noto Sans CJK SC"
UNUSED = (
    "playwright/driver/package/types", "playwright/driver/package/lib/vite", "playwright/driver/package/lib/tools",
    "playwright/async_api", "greenlet/tests", "greenlet/platform",
)  # fmt: skip
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_24_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64")

HERE = '#!/bin/sh\nhere=$(cd "$(dirname "$0")/{up}" && pwd)\n'
WRAPPERS = {
    "bin/chromium-headless-shell": HERE.format(up="..")
    + 'export LD_LIBRARY_PATH="$here/lib" FONTCONFIG_FILE="$here/fontconfig/fonts.conf" '
    'FONTCONFIG_PATH="$here/fontconfig"\nexec "$here/chromium/chromium-headless-shell" "$@"\n',
    "bin/node": HERE.format(up="..")
    + 'LD_LIBRARY_PATH="$here/lib" exec "$here/py/playwright/driver/node" "$@"\n',
    "setup.sh": HERE.format(up=".")
    + '# The paths of fonts are absolute: run this once where the folder lies, and again when it was moved.\n'
    'sed "s|@HERE@|$here|g" "$here/fontconfig/fonts.conf.in" > "$here/fontconfig/fonts.conf"\n',
    "synth": HERE.format(up=".")
    + 'export PLAYWRIGHT_NODEJS_PATH="$here/bin/node" ZOOMGROUND_ASSETS="$here/npm/node_modules" OMP_NUM_THREADS=1\n'
    'export PYTHONPATH="${ZOOMGROUND_SRC:?the src folder of zoomground}:$here/py"\n'
    'exec "${PYTHON:-python3}" -m zoomground synth --browser "$here/bin/chromium-headless-shell" "$@"\n',
}  # fmt: skip


def main() -> None:
    """Build the folder ``OUT/screens`` and the pieces ``OUT/screens.tar.xz.0`` ... beside it."""
    asked = _arguments()
    tree: Path = asked.out / "screens"
    if tree.exists():
        sys.exit(f"{tree} exists; remove it or name another folder")
    for name in ("chromium", "lib", "fonts", "fontconfig", "fontcache", "py", "npm", "bin"):
        (tree / name).mkdir(parents=True)
    _browser(asked.browser, tree)
    _python(tree / "py", asked.python, asked.without, asked.out / "wheels")
    _libraries([asked.browser / "chromium-headless-shell", tree / "py/playwright/driver/node"], tree / "lib")
    _fonts(tree)
    _assets(asked.assets, tree / "npm" / "node_modules")
    for name, text in WRAPPERS.items():
        (tree / name).write_text(text, encoding="utf-8")
        (tree / name).chmod(0o755)
    if asked.piece_mib:
        _pieces(tree, asked.piece_mib << 20)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--browser", type=Path, default=Path("/usr/lib/chromium"), help="folder of the headless shell")
    parser.add_argument("--assets", type=Path, help="npm packages; default: where install-screens-assets puts them")
    parser.add_argument("--python", default="3.12", help="version of the machine's Python")
    parser.add_argument("--without", nargs="*", default=[], help="Python packages that the machine has")
    parser.add_argument("--piece-mib", type=int, default=40, help="most MiB of a piece; 0: the folder alone")
    return parser.parse_args()


def _browser(folder: Path, tree: Path) -> None:
    shutil.copy2(folder / "chromium-headless-shell", tree / "chromium")
    for pattern in CHROMIUM:
        for file in folder.glob(pattern):
            shutil.copy2(file, tree / "chromium")


def _python(into: Path, version: str, without: list[str], wheels: Path) -> None:
    """The packages of the core and of ``synth`` as wheels of that Python, unpacked and pruned."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["synth"], "psutil"]
    platforms = [part for name in PLATFORMS for part in ("--platform", name)]
    _run(
        sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:", "--python-version", version,
        *platforms, "-d", str(wheels), *wanted,
    )  # fmt: skip
    left_out = {name.casefold() for name in without}
    for wheel in sorted(wheels.glob("*.whl")):
        if wheel.name.split("-")[0].casefold() not in left_out:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(into)
    for folder in (*(into / name for name in UNUSED), *into.glob("*.data")):
        shutil.rmtree(folder, ignore_errors=True)
    node = into / "playwright" / "driver" / "node"
    _run("strip", str(node))
    node.chmod(0o755)


def _libraries(programs: list[Path], into: Path) -> None:
    """Everything that the programs are linked to, but glibc, which each machine must have for itself."""
    first = _linked(programs)
    modules = sorted({file.parent / f"{name}.so" for file in first if file.name == "libnss3.so" for name in NSS})
    for file in sorted({*first, *modules, *_linked(modules)}):
        shutil.copy2(file.resolve(), into / file.name)
    for module in modules:  # their signatures, without which they refuse to start
        shutil.copy2(module.with_suffix(".chk"), into)


def _linked(files: list[Path]) -> set[Path]:
    listed = "".join(_run("ldd", str(file)) for file in files)
    if "not found" in listed:
        sys.exit(f"libraries are missing here, too:\n{listed}")
    return {Path(one) for one in re.findall(r"=> (/\S+)", listed) if not GLIBC.search(one)}


def _fonts(tree: Path) -> None:
    """Latin fonts whole, Chinese ones with the characters of GB 2312 and of the package, and Debian's rules."""
    files = {Path(one) for one in _run("fc-list", "--format", "%{file}\n").split()}
    for file in files:
        if any(name in str(file).casefold() for name in FONTS):
            shutil.copy2(file, tree / "fonts")
        elif file.stem in CJK_FACES:
            _cut(file, tree / "fonts" / f"{file.stem}-SC.otf")
    (tree / "fontconfig" / "conf.d").mkdir()
    for rule in Path("/etc/fonts/conf.d").glob("*.conf"):
        shutil.copy2(rule.resolve(), tree / "fontconfig" / "conf.d" / rule.name)
    own = (ROOT / "src/zoomground/synth/fonts.conf").read_text(encoding="utf-8")
    places = (
        "  <dir>@HERE@/fonts</dir>\n  <cachedir>@HERE@/fontcache</cachedir>\n"
        '  <include ignore_missing="yes">@HERE@/fontconfig/conf.d</include>'
    )
    text, found = re.subn(r" *<include[^\n]*/etc/fonts/fonts\.conf</include>", places, own)
    if found != 1:
        sys.exit("fonts.conf of the package does not include the machine's as it did: mend pack_screens_kit")
    (tree / "fontconfig" / "fonts.conf.in").write_text(text, encoding="utf-8")


def _cut(collection: Path, into: Path) -> None:
    options = subset.Options(hinting=False, notdef_outline=True)
    options.layout_features = options.name_IDs = options.name_languages = ["*"]
    font = next(
        one for one in TTCollection(collection, lazy=True).fonts if one["name"].getBestFamilyName() == CJK_FAMILY
    )
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=_characters(into.parents[1] / "py"))
    cutter.subset(font)
    font.save(into)


def _characters(packages: Path) -> set[int]:
    gb2312 = (bytes([high, low]).decode("gb2312", "ignore") for high in range(0xB0, 0xD8) for low in range(0xA1, 0xFF))
    own = [file for file in (ROOT / "src").rglob("*") if file.suffix in {".py", ".toml", ".json", ".js"}]
    names = [*own, *packages.glob("faker/providers/**/zh_CN/*.py")]
    written = (char for file in names for char in file.read_text("utf-8") if ord(char) > 0x2E7F)
    ranges = ((0x20, 0x7F), (0xA0, 0x180), (0x2000, 0x2070), (0x3000, 0x3030), (0xFF00, 0xFF60))
    return {*(ord(char) for char in "".join(gb2312)), *map(ord, written), *(c for r in ranges for c in range(*r))}


def _assets(folder: Path | None, into: Path) -> None:
    """The files of the npm packages that are read when every skin and every icon is drawn."""
    found = npm.find(folder)
    if found is None:
        return
    opened: set[Path] = set()

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(f"{found}/"):
            opened.add(Path(arguments[0]))

    sys.addaudithook(note)
    for skin in available_skins(found).values():
        skin.sheet(found)
    for icons in icon_sets(found).values():
        for concept in ICONS:
            icons.svg(concept, 16.0)
            icons.synonyms(concept)
    npm.licences(found)
    for file in sorted(one for one in opened if one.is_file()):
        copy = into / file.relative_to(found)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, copy)


def _pieces(tree: Path, limit: int) -> None:
    """The folder as .tar.xz in pieces of equal size, none larger than the limit, with their SHA-256."""
    packed = tree.with_name("screens.tar.xz")
    plain = tree.with_name("screens.tar")
    _run("tar", "-C", str(tree), "--owner=0", "--group=0", "-cf", str(plain), ".")
    _run("xz", "-T1", "-9", str(plain))
    data = packed.read_bytes()
    packed.unlink()
    side = -(-len(data) // -(-len(data) // limit))
    sums = []
    for number, at in enumerate(range(0, len(data), side)):
        piece = tree.with_name(f"{packed.name}.{number}")
        piece.write_bytes(data[at : at + side])
        sums.append(f"{hashlib.sha256(data[at : at + side]).hexdigest()}  {piece.name}\n")
        print(f"{piece}: {len(data[at : at + side]) / 2**20:.1f} MiB")
    tree.with_name("screens.sha256").write_text("".join(sums), encoding="utf-8")


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout  # noqa: S603 -- own words


if __name__ == "__main__":
    main()
