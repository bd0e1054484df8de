"""What lies around the windows: taskbars, docks, icons on the desk, its picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.synth.desktop.view import Area
from zoomground.synth.desktop.windows import ICONS, program_name
from zoomground.synth.fitting import known
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.pictures import desk_bin, desk_folder, desk_paper, desk_picture
from zoomground.synth.plan import HELDOUT_KINDS
from zoomground.synth.widgets import field, row, spring, states, tool
from zoomground.synth.worded import worded_tool

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

_NONE_SHARE = 0.08
_FLAT = "border-color:transparent;background:transparent;color:inherit"
"""A button that only its text shows: a skin's colour for text on its own ground would not be read here."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A screen's bar.

    Attributes:
        manner: bottom, top or left (taskbars), dock (a dock below and a thin bar on top), or none.
        place: The taskbar, or the thin bar.
        dock: Strip at the bottom that a dock takes.
        free: What is left for windows.
    """

    manner: str
    place: Area
    dock: float
    free: Area

    @property
    def start(self) -> tuple[float, float, bool] | None:
        """See `View`."""
        if self.manner in {"none", "dock"}:
            return None
        if self.manner == "left":
            return (self.place.width + 6, 6.0, False)
        return (6.0, self.free.height - 6, True) if self.manner == "bottom" else (6.0, self.free.y + 6, False)

    @property
    def clock(self) -> tuple[float, float, bool] | None:
        """See `View`."""
        if self.manner == "none":
            return None
        if self.manner == "left":
            return (self.place.width + 6, self.free.height - 6, True)
        right = self.free.x + self.free.width - 6
        return (right, self.free.height - 6, True) if self.manner == "bottom" else (right, self.free.y + 6, False)

    def draw(self, scene: Scene, names: list[str]) -> list[Node]:
        """The bar's nodes; ``names`` are the programs that run, the one in front last."""
        if self.manner == "none":
            return []
        programs = _programs(scene, names)
        if self.manner == "dock":
            return [_thin(scene, self.place), _dock(scene, programs, self.place.width, self.dock, self.free)]
        return [_taskbar(scene, programs, self)]


def bar_of(scene: Scene) -> Bar:
    """The seed's choice."""
    width, height = scene.width, scene.height
    manner = scene.rng.choices(("bottom", "top", "left", "dock", "none"), (0.5, 0.12, 0.12, 0.18, _NONE_SHARE))[0]
    thick = scene.between(48, 34)
    if manner == "none":
        return Bar(manner, Area(0, 0, 0, 0), 0.0, Area(0.0, 0.0, width, height))
    if manner == "left":
        thick = scene.between(64, 46)
        return Bar(manner, Area(0.0, 0.0, thick, height), 0.0, Area(thick, 0.0, width - thick, height))
    if manner == "top":
        return Bar(manner, Area(0.0, 0.0, width, thick), 0.0, Area(0.0, thick, width, height - thick))
    if manner == "dock":
        dock, thin = scene.between(70, 52), 26.0
        return Bar(manner, Area(0.0, 0.0, width, thin), dock, Area(0.0, thin, width, height - thin - dock))
    return Bar(manner, Area(0.0, height - thick, width, thick), 0.0, Area(0.0, 0.0, width, height - thick))


def _programs(scene: Scene, names: list[str]) -> list[tuple[str, bool, bool]]:
    """Programs of a bar: name of the kind, whether it runs, whether it is in front."""
    front = names[-1]
    held_out = front in HELDOUT_KINDS
    pinned = [kind for kind in sorted(ICONS) if (kind in HELDOUT_KINDS) == held_out or kind in names]
    scene.rng.shuffle(pinned)
    kept = [kind for kind in pinned if kind in names or scene.chance(0.6)]
    return [(kind, kind in names, kind == front) for kind in kept]


def _program(scene: Scene, kind: str, side: float, *, front: bool, runs: bool) -> Node:
    name = program_name(scene, kind)
    line = "border-bottom:2px solid var(--zg-accent);" if runs else ""
    return tool(ICONS[kind], name, size_px=side, on=front, css=line)


def _tray(scene: Scene, side: float) -> list[Node]:
    layout = Element(
        Role.BUTTON, {"zh": "中"}.get(scene.language, scene.language.upper()), size_px=side,
        thing=scene.say("desk_layout"), goals=scene.goals("desk_layout"),
        css="padding:0 4px;min-width:0;border-color:transparent;font-size:.86em",
    )  # fmt: skip
    return [
        worded_tool(scene, "up", "desk_tray", size_px=side),
        *(known(scene, icon, size_px=side) for icon in ("wifi", "volume", "battery")), layout,
    ]  # fmt: skip


def _clock(scene: Scene, side: float, *, short: bool = False) -> Element:
    now = f"{scene.now:%H:%M}"
    text = now if short else f"{now}  {scene.now:%Y-%m-%d}"
    css = f"padding:0 6px;min-width:0;{_FLAT};font-size:.86em;white-space:nowrap"
    return Element(
        Role.BUTTON, text, size_px=side, thing=scene.say("desk_clock"), goals=scene.goals("desk_clock"), css=css
    )


def _taskbar(scene: Scene, programs: list[tuple[str, bool, bool]], bar: Bar) -> Node:
    upright = bar.manner == "left"
    side = (bar.place.width if upright else bar.place.height) - 10
    small = min(side, 28.0)
    start = worded_tool(scene, "grid", "desk_start", size_px=side)
    icons = [_program(scene, kind, side, front=front, runs=runs) for kind, runs, front in programs]
    middle: list[Node] = [start]
    if not upright and scene.chance(0.5):
        middle.append(field(scene.say("search"), role=Role.SEARCHBOX, icon="search", width_px=200, size_px=side - 4))
    middle += icons
    tray = _tray(scene, small)
    clock, bell = _clock(scene, small, short=upright), known(scene, "bell", size_px=small)
    if upright:
        children = (*middle, spring(), *tray, clock, bell)
        css = f"{bar.place.css}align-items:center;padding:5px 0;border:0;border-right:1px solid var(--zg-line)"
        return Box(children, Part.TASKBAR, flow="column", gap_px=4, css=css)
    if scene.chance(0.3):
        middle = [spring(), *middle]
    css = f"{bar.place.css}padding:0 8px;overflow:hidden"
    return Box((*middle, spring(), *tray, clock, bell), Part.TASKBAR, flow="row", gap_px=4, css=css)


def _thin(scene: Scene, place: Area) -> Node:
    """The bar above a screen that has a dock."""
    side = place.height - 4
    css = f"padding:0 8px;min-width:0;{_FLAT};font-size:.9em"
    overview = Element(Role.BUTTON, scene.say("desk_overview"), size_px=side, css=css)
    parts = (overview, spring(), *_tray(scene, side), known(scene, "search", size_px=side), _clock(scene, side))
    return Box(parts, Part.TASKBAR, flow="row", gap_px=4,
               css=f"{place.css}padding:0 8px;border:0;border-bottom:1px solid var(--zg-line)")  # fmt: skip


def _dock(scene: Scene, programs: list[tuple[str, bool, bool]], width: float, thick: float, free: Area) -> Node:
    side = thick - 20
    icons: list[Node] = [_program(scene, kind, side, front=front, runs=runs) for kind, runs, front in programs]
    icons.append(worded_tool(scene, "grid", "desk_start", size_px=side))
    icons.append(tool("trash", scene.say("desk_bin"), size_px=side))
    inner = Box(tuple(icons), Part.TASKBAR, flow="row", gap_px=8,
                css="padding:5px 12px;border:1px solid var(--zg-line);border-radius:14px")  # fmt: skip
    top = free.y + free.height
    css = f"left:0;top:{top:g}px;width:{width:g}px;height:{thick:g}px;justify-content:center"
    return row(inner, css=css)


def wallpaper(scene: Scene) -> Node:
    """The desk's picture."""
    return Picture(desk_picture(scene.rng), "left:0;top:0;width:100%;height:100%")


def desk_icons(scene: Scene, free: Area) -> Node:
    """Folders and files on the desk, in columns from the left."""
    wide, tall = 86.0, 78.0
    down = max(1, int((free.height - 20) // tall))
    names = [scene.say("desk_bin"), *scene.choices("desk_folders")]
    count = min(len(names), down * scene.rng.randint(1, 2), scene.rng.randint(4, len(names)))
    css = "border:0;background:none;display:flex;width:82px;height:72px;min-height:0;padding:3px;align-items:stretch"
    icons = []
    for at, name in enumerate(names[:count]):
        shows, drawn = "trash", desk_bin()
        if at:
            paper = scene.chance(0.25)
            shows, drawn = ("file", desk_paper()) if paper else ("folder", desk_folder(scene.rng))
        picture = Picture(drawn, "height:38px;width:100%", shows)
        label = Text(name, "small", "background:var(--zg-panel);color:var(--zg-text);text-align:center;padding:0 3px")
        inside = Box((picture, label), gap_px=4, css="width:100%;align-items:center")
        icons.append(Element(Role.BUTTON, label=name, css=css, children=(inside,), states=states()))
    grid = (
        f"grid-template-rows:repeat({down},{tall:g}px);grid-auto-flow:column;grid-auto-columns:{wide:g}px;padding:10px"
    )
    place = Area(free.x, free.y, free.width, free.height)
    return Box(tuple(icons), flow="grid", css=f"{place.css}{grid};justify-content:start;overflow:hidden")
