"""The panels above a film editor's tracks: media bin, monitors with transport bars, effects, inspector."""

from __future__ import annotations

from dataclasses import dataclass

from zoomground.synth.drawings import landscape, wave
from zoomground.synth.graph import TINTS, Box, Node, Part, Picture, Role, Text
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import check, entry, field, record, row, spring, tile, tool
from zoomground.synth.worded import row_tool, worded_tool, worded_tools

_LINE = "1px solid var(--zg-line)"
_HEAD_PX = 26.0
_TRANSPORT = (
    ("skipback", "time_start"), ("prev", "time_step_back"), ("play", "time_play"), ("stop", "time_stop"),
    ("next", "time_step"), ("skipforward", "time_end"),
)  # fmt: skip
_MONITOR = (
    ("record", "time_record"), ("camera", "time_still"), ("crop", "time_safe"), ("pin", "time_marker"),
    ("expand", "time_full"),
)  # fmt: skip


@dataclass(slots=True)
class FilmPlan:
    """What one seed decided about the window: sizes in CSS px."""

    scene: Scene
    line: float
    small: float
    tool: float


def stamp(scene: Scene, seconds: int) -> str:
    """A time code."""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}:{scene.rng.randint(0, 24):02d}"


def _head(plan: FilmPlan, key: str, tools: list[Node]) -> Box:
    return row(
        Text(plan.scene.say(key), "strong small", css="flex:1 1 0"), *tools, gap_px=1,
        css=f"height:{_HEAD_PX:g}px;padding:0 4px 0 8px;background:var(--zg-bar);border-bottom:{_LINE}",
    )  # fmt: skip


def _panel(plan: FilmPlan, key: str, parts: list[Node], size: tuple[float, float], tools: list[Node]) -> Box:
    width, height = size
    return Box(
        (_head(plan, key, tools), *parts), Part.PANEL, plan.scene.say(key), named_on_screen=True,
        css=f"width:{width:g}px;height:{height:g}px;overflow:hidden",
    )  # fmt: skip


def media_bin(plan: FilmPlan, names: list[str], width: float, height: float) -> Box:
    """Thumbnails of what can be used, each with tools."""
    scene, small = plan.scene, plan.small
    least = scene.between(150, 96)
    across = max(2, int((width - 10) // (least + 6)))
    wide = (width - 14 - 6 * (across - 1)) / across
    high = wide * 0.52
    tall = high + small + 26
    tools = worded_tools(
        scene,
        (("plus", "time_import"), ("folder", "time_bin_folder"), ("list", "time_bin_list"), ("grid", "time_bin_icons"),
         ("sort", "time_bin_sort")),
        min(22.0, plan.tool),
    )  # fmt: skip
    room = height - _HEAD_PX - 40
    down = max(1, round(room / (tall + 6)))
    high += (room - down * (tall + 6)) / down
    tiles = [_medium(plan, name, wide, high) for name in names[: across * down]]
    search = row(
        field(scene.say("time_bin_search"), role=Role.SEARCHBOX, icon="search", size_px=24, css="flex:1 1 0"),
        css="padding:5px 6px",
    )
    grid = Box(
        tuple(tiles), Part.LIST, flow="grid", gap_px=6,
        css=f"grid-template-columns:repeat({across},{wide:g}px);padding:0 6px;align-content:start",
    )  # fmt: skip
    return _panel(plan, "time_bin", [search, grid], (width, height), list(tools))


def _medium(plan: FilmPlan, name: str, wide: float, high: float) -> Node:
    scene, small = plan.scene, plan.small
    sound = scene.chance(0.3)
    drawn = (
        f'<div style="color:{TINTS["teal"]}">{wave(scene, wide, high)}</div>' if sound else landscape(scene, wide, high)
    )
    tools = [
        row_tool(scene, icon, key, size_px=small, name=name)
        for icon, key in (("flag", "time_mark"), ("info", "time_media_info"), ("plus", "time_add"))
    ]
    length = Text(f"{scene.rng.randint(0, 9)}:{scene.rng.randint(0, 59):02d}", "muted small", css="flex:1 1 0")
    item = entry(name, icon="music" if sound else "film", size_px=22, css="padding:0 2px;border:0;background:none")
    return tile(
        name,
        [
            Picture(drawn, f"height:{high:g}px;background:var(--zg-sunk)", "" if sound else "image"),
            item,
            row(length, *tools, gap_px=1, css=f"height:{small + 2:g}px"),
        ],
        gap_px=1,
    )


def monitor(plan: FilmPlan, key: str, width: float, height: float) -> Box:
    """A picture with a transport bar below."""
    scene = plan.scene
    deep = height - _HEAD_PX - 2 * (plan.tool + 4) - 12
    wide = min(width - 16, deep * 16 / 9)
    place = f"width:{wide:g}px;height:{deep:g}px;align-self:center"
    picture = Picture(landscape(scene, wide, deep), place, "image")
    level = field(scene.say("time_fit"), value="50 %", role=Role.COMBOBOX, size_px=22, width_px=74, css="padding:0 4px")
    volume = field(scene.say("time_volume"), value=str(scene.rng.randint(20, 80)), role=Role.SLIDER, width_px=70)
    now, end = stamp(scene, scene.rng.randint(10, 900)), stamp(scene, scene.rng.randint(900, 5000))
    upper = row(Text(now, "mono accent small"), spring(), level, spring(), Text(end, "mono muted small"))
    shown = _MONITOR if width > 430 else _MONITOR[:2]
    lower = row(
        *worded_tools(scene, shown[:2], plan.tool), spring(), *worded_tools(scene, _TRANSPORT, plan.tool), spring(),
        *worded_tools(scene, shown[2:], plan.tool), *([volume] if width > 520 else []), gap_px=2,
    )  # fmt: skip
    bars = [
        Box((one,), css=f"height:{plan.tool + 4:g}px;padding:0 8px;justify-content:center") for one in (upper, lower)
    ]
    body = Box((picture,), css=f"height:{deep + 10:g}px;justify-content:center;background:var(--zg-sunk)")
    return _panel(
        plan,
        key,
        [body, *bars],
        (width, height),
        [worded_tool(scene, "menu", "time_track_settings", size_px=plan.small)],
    )


def effects(plan: FilmPlan, width: float, height: float) -> Box:
    """A list of effects, each with a star and a plus."""
    scene = plan.scene
    names = scene.choices("time_effect_names")
    scene.rng.shuffle(names)
    count = min(len(names), int((height - _HEAD_PX - 4) // plan.line))
    line = min(34.0, (height - _HEAD_PX - 4) / count)
    rows: list[Node] = []
    for name in names[:count]:
        starred = scene.chance(0.2)
        item = entry(
            name,
            icon=scene.rng.choice(("layers", "palette", "volume")),
            size_px=line,
            css="flex:1 1 0;border:0;background:none",
        )
        star = row_tool(
            scene, "star", "time_effect_star", size_px=plan.small, on=starred, tint="orange" if starred else ""
        )
        add = row_tool(scene, "plus", "time_effect_add", size_px=plan.small, name=name)
        rows.append(record(name, [item, star, add], gap_px=1, css=f"height:{line:g}px;padding-right:6px"))
    return _panel(plan, "time_effects", rows, (width, height), [])


def inspector(plan: FilmPlan, width: float, height: float) -> Box:
    """Sections of sliders with numbers, keyframes and resets."""
    scene, line = plan.scene, max(plan.line, 24.0)
    sections = list(zip(scene.choices("time_sections"), scene.choices("time_parameters"), strict=True))
    left = height - _HEAD_PX - line - 12
    parts: list[Node] = [
        row(
            Text(scene.say("time_blend"), "small", css="flex:1 1 0"),
            field(
                scene.say("time_blend"),
                value=scene.choices("time_blends")[0],
                role=Role.COMBOBOX,
                size_px=22,
                width_px=120,
                css="padding:0 4px",
            ),
            css=f"height:{line:g}px;padding:2px 8px",
        )
    ]
    for title, listed in sections:
        names = listed.split(",")
        many = min(len(names), int((left - line) // line))
        if many < 1:
            break
        left -= line * (many + 1)
        parts.append(_section(plan, title, names[:many], line, width))
    close = worded_tool(scene, "gear", "time_track_settings", size_px=plan.small)
    return _panel(plan, "time_inspector", parts, (width, height), [close])


def _section(plan: FilmPlan, title: str, names: list[str], line: float, width: float) -> Box:
    scene = plan.scene
    head = row(
        tool("down", scene.say("time_section_fold", name=title), size_px=plan.small),
        check(
            scene.say("time_section_on", name=title), on=scene.chance(0.8), shown=False, size_px=min(14.0, plan.small)
        ),
        Text(title, "strong small", css="flex:1 1 0"),
        gap_px=5,
        css=f"height:{line:g}px;padding:0 8px;background:var(--zg-bar)",
    )
    rows = [_parameter(plan, name, line, width) for name in names]
    return Box((head, *rows), name=title, named_on_screen=True)


def _parameter(plan: FilmPlan, name: str, line: float, width: float) -> Node:
    scene, small = plan.scene, plan.small
    value = scene.rng.randint(0, 100)
    tall = min(20.0, line - 4)
    return record(
        name,
        [
            Text(name, "small", css=f"width:{max(76.0, width * 0.3):g}px;flex:none"),
            field(name, value=str(value), role=Role.SLIDER, css="flex:1 1 0;width:40px"),
            field(name, value=str(value), role=Role.SPINBUTTON, size_px=tall, width_px=56, css="padding:0 2px 0 4px"),
            row_tool(scene, "diamond", "time_animate", size_px=small, name=name, on=scene.chance(0.15)),
            row_tool(scene, "undo", "time_reset", size_px=small, name=name),
        ],
        gap_px=4, css=f"height:{line:g}px;padding:0 6px 0 12px",
    )  # fmt: skip
