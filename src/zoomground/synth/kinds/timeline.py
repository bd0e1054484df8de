"""An editor of film and sound: media bin, monitors, inspector, and tracks with small switches and clips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.synth.drawings import stripe, wave
from zoomground.synth.film_panels import FilmPlan, effects, inspector, media_bin, monitor, stamp
from zoomground.synth.graph import TINTS, Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.widgets import field, menu_item, record, row, spring, tile
from zoomground.synth.worded import row_tool, worded_button, worded_tool, worded_tools

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

_LINE = "1px solid var(--zg-line)"
_MENU_PX, _STATUS_PX, _TOOLS_PX, _RULER_PX = 30.0, 24.0, 34.0, 24.0
MENU_AT = (8.0, _MENU_PX)
"""Where the first menu opens, from the top left of the program."""
_STEP_PX = 90.0
"""Distance of the ruler's time codes."""
_EDITING = (
    ("pointer", "time_select"), ("cut", "time_razor"), ("expand", "time_slip"), ("pen", "time_pen"),
    ("hand", "time_hand"), ("text", "time_text"),
)  # fmt: skip
_ACTING = (
    ("magnet", "time_snap"), ("link", "time_link"), ("pin", "time_marker"), ("group", "time_group"),
    ("trash", "time_ripple"), ("clock", "time_speed"), ("crop", "time_crop"), ("mic", "time_record"),
)  # fmt: skip
_CLIP_TINTS = ("blue", "purple", "teal", "green", "orange", "pink", "brown", "red")


@dataclass(slots=True)
class _Track:
    """One track: what is on it, and its place in CSS px."""

    name: str
    media: list[str]
    sound: bool
    tall: float
    head: float
    lane: float
    colour: str


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    plan = FilmPlan(scene, scene.between(30, 22), scene.between(19, 14), scene.between(28, 22))
    room = scene.height - _MENU_PX - _STATUS_PX - _TOOLS_PX - _RULER_PX
    upper = max(230.0, round(room * scene.rng.uniform(0.42, 0.5)))
    media = [scene.title(2, 3) for _ in range(24 if scene.width < 2400 else 60)]
    tracks = _tracks(plan, media, room - upper)
    return Box((_menu(plan), _upper(plan, media, upper), _tools(plan), *tracks, _status(plan)), grow=1)


def _menu(plan: FilmPlan) -> Box:
    scene = plan.scene
    menus = Box(
        tuple(menu_item(name) for name in scene.choices("time_menus")), Part.MENUBAR, flow="row",
        css="background:none;border:0;min-width:0",
    )  # fmt: skip
    tools = worded_tools(scene, (("save", "time_save"), ("undo", "time_undo"), ("redo", "time_redo")), 22)
    buttons = [
        worded_button(scene, "time_export", icon="upload", kind="primary", size_px=24),
        worded_button(scene, "time_export_as", icon="upload", size_px=24),
    ]
    return Box(
        (menus, spring(), *tools, *buttons), flow="row", gap_px=4,
        css=f"height:{_MENU_PX:g}px;padding:0 8px;background:var(--zg-bar);border-bottom:{_LINE};overflow:hidden",
    )  # fmt: skip


def _upper(plan: FilmPlan, media: list[str], height: float) -> Box:
    scene, width = plan.scene, plan.scene.width
    side = min(420.0, max(scene.between(340, 290), width * 0.17))
    store = min(640.0, max(scene.between(330, 280), width * 0.2))
    extra = scene.between(240, 200) if width >= 1700 else 0.0
    rest = width - side - store - extra
    widest = (height - 60) * 16 / 9 + 60
    many = 2 if rest > 900 else 1
    panes = [monitor(plan, key, rest / many, height) for key in ("time_source", "time_program")[2 - many :]]
    if many == 2 and rest / 2 > widest * 1.25:
        # A very wide window: the inspector takes what the monitors cannot use.
        spare = rest - 2 * widest
        panes = [monitor(plan, key, widest, height) for key in ("time_source", "time_program")]
        side, store = side + spare / 2, store + spare / 2
    parts: list[Node] = [media_bin(plan, media, store, height), *panes]
    if extra:
        parts.append(effects(plan, extra, height))
    parts.append(inspector(plan, side, height))
    return Box(tuple(parts), flow="row", css=f"height:{height:g}px;align-items:stretch")


def _tools(plan: FilmPlan) -> Box:
    scene, size = plan.scene, plan.tool
    editing = [worded_tool(scene, icon, key, size_px=size, on=not at) for at, (icon, key) in enumerate(_EDITING)]
    split = Box(css="width:1px;height:20px;margin:0 6px;background:var(--zg-line)")
    zoom = (
        worded_tool(scene, "zoomout", "time_zoom_out", size_px=size),
        field(scene.say("time_zoom"), value=str(scene.rng.randint(10, 90)), role=Role.SLIDER, width_px=120),
        worded_tool(scene, "zoomin", "time_zoom_in", size_px=size),
    )
    now = Text(stamp(scene, scene.rng.randint(60, 3000)), "mono accent")
    more = worded_tools(scene, (("plus", "time_track_add"), ("gear", "time_track_settings")), size)
    return Box(
        (now, split, *editing, split, *worded_tools(scene, _ACTING, size), spring(), *more, *zoom), Part.TOOLBAR,
        flow="row", gap_px=3, css=f"height:{_TOOLS_PX:g}px;padding:0 10px;border-top:{_LINE}",
    )  # fmt: skip


def _tracks(plan: FilmPlan, media: list[str], height: float) -> list[Node]:
    scene = plan.scene
    head = scene.between(250, 210)
    meter = 56.0 if scene.width >= 1500 else 0.0
    each = scene.between(62, 38)
    count = max(2, min(24, int(height // each)))
    each = height / count
    films, sounds = scene.choices("time_video_tracks"), scene.choices("time_audio_tracks")
    half = min(count // 2, len(films))
    names = [(name, False) for name in films[-half:]] + [(name, True) for name in sounds[: count - half]]
    lane = scene.width - head - meter
    lines = [
        _track(plan, _Track(name, media, sound, each, head, lane, scene.rng.choice(_CLIP_TINTS)), even=bool(at % 2))
        for at, (name, sound) in enumerate(names)
    ]
    body: list[Node] = [Box(tuple(lines), css=f"width:{head + lane:g}px")]
    if meter:
        body.append(Picture(_meter(scene, meter, height), css=f"width:{meter:g}px;border-left:{_LINE}"))
    stack = Box(tuple(body), flow="row", css=f"height:{height:g}px;align-items:stretch;background:var(--zg-sunk)")
    return [_ruler(plan, head, lane), stack]


def _ruler(plan: FilmPlan, head: float, lane: float) -> Box:
    scene = plan.scene
    start, step = scene.rng.randint(0, 40) * 30, scene.rng.choice((2, 5, 10, 30))
    count = int(lane // _STEP_PX)
    ticks = "".join(
        f"M{at * _STEP_PX / 5:g} {_RULER_PX - (9 if at % 5 == 0 else 4)}V{_RULER_PX:g}" for at in range(count * 5 + 1)
    )
    drawn = Picture(
        f'<svg width="{lane:g}" height="{_RULER_PX:g}"><path d="{ticks}" stroke="currentColor" opacity=".6"/></svg>',
        css="left:0;top:0",
    )
    codes = [
        Text(stamp(scene, start + at * step)[:8], "muted small", css=f"left:{at * _STEP_PX + 4:g}px;top:2px")
        for at in range(count)
    ]
    places = sorted(scene.rng.sample(range(count), min(count, max(3, count // 5))))
    markers = [
        Element(
            Role.BUTTON, icon="pin", label=scene.say("time_markers", number=number + 1), size_px=14,
            tint=scene.rng.choice(_CLIP_TINTS), css=f"left:{at * _STEP_PX + 70:g}px;top:1px",
        )
        for number, at in enumerate(places)
    ]  # fmt: skip
    strip = Box((drawn, *codes, *markers), flow="stack", css=f"width:{lane:g}px;height:{_RULER_PX:g}px;overflow:hidden")
    return Box(
        (Box(css=f"width:{head:g}px"), strip), flow="row",
        css=f"height:{_RULER_PX:g}px;background:var(--zg-bar);border-bottom:{_LINE}",
    )  # fmt: skip


def _track(plan: FilmPlan, one: _Track, *, even: bool) -> Node:
    scene, small = plan.scene, plan.small
    first: tuple[tuple[str, str], ...] = (("eye", "time_eye"), ("link", "time_sync"))
    if one.sound:
        first = (("mute", "time_mute"), ("headphones", "time_solo"), ("mic", "time_arm"))
    switches = [
        row_tool(scene, icon, key, size_px=small, on=scene.chance(0.15), name=one.name)
        for icon, key in (*first, ("lock", "time_lock"))
    ]
    key = "time_gain" if one.sound else "time_opacity"
    level = Element(
        Role.SLIDER, label=scene.say(key), value=str(scene.rng.randint(30, 100)), thing=scene.say(f"{key}_thing"),
        goals=scene.goals(key, name=one.name), css="flex:1 1 0;width:40px",
    )  # fmt: skip
    menu = row_tool(scene, "kebab", "time_track_menu", size_px=small)
    title = row(Text(one.name, "strong small", css="flex:1 1 0"), menu, gap_px=2)
    controls = Box(
        (title, row(*switches, level, gap_px=2)),
        gap_px=2,
        css="flex:1 1 0;min-width:0;padding:0 6px;justify-content:center",
    )
    size = f"height:{one.tall:g}px;border-bottom:{_LINE}"
    front = row(
        Picture(stripe(TINTS[one.colour], 5, one.tall), css="flex:none"), controls, gap_px=0,
        css=f"width:{one.head:g}px;{size};background:var(--zg-panel);border-right:{_LINE}",
    )  # fmt: skip
    shade = ";background:var(--zg-bg)" if even else ""
    strip = Box(tuple(_clips(plan, one)), flow="stack", css=f"width:{one.lane:g}px;{size};overflow:hidden{shade}")
    return record(one.name, [front, strip], gap_px=0)


def _clips(plan: FilmPlan, one: _Track) -> list[Node]:
    scene, rng, found = plan.scene, plan.scene.rng, list[Node]()
    left, longest = float(rng.randint(0, 120)), int(scene.between(340, 210))
    names = rng.sample(one.media, len(one.media))
    while left < one.lane - 90 and names:
        wide = min(float(rng.randint(90, longest)), one.lane - left - 2)
        name = f"{names.pop()}{rng.choice(('', '', ' 2', ' 3'))}"
        found.append(_clip(plan, one, name, left, wide))
        left += wide + rng.choice((1, 1, 2, 18, 60, 140))
    return found


def _clip(plan: FilmPlan, one: _Track, name: str, left: float, wide: float) -> Node:
    scene, small = plan.scene, min(15.0, plan.small)
    tools: list[Node] = []
    if wide > 130:
        tools = [
            row_tool(scene, icon, key, size_px=small, css="color:#fff")
            for icon, key in (("function", "time_clip_effects"), ("diamond", "time_keyframe"))
        ]
    inner = one.tall - 5
    top = f"height:{min(inner, small + 4):g}px;padding:0 5px"
    parts: list[Node] = [row(Text(name, "small", css="flex:1 1 0;color:#fff"), *tools, gap_px=1, css=top)]
    deep = inner - small - 8
    if deep >= 10:
        drawn = wave(scene, wide - 6, deep) if one.sound else _frames(wide - 6, deep)
        parts.append(Picture(f'<div style="color:#fff">{drawn}</div>', css="padding:0 3px"))
    inside = tile(name, parts, gap_px=1)
    return Element(
        Role.OPTION, label=name, children=(inside,), goals=scene.goals("time_clip", unsaid=name, name=one.name),
        tint=one.colour if scene.chance(0.8) else scene.rng.choice(_CLIP_TINTS),
        css=f"left:{left:g}px;top:2px;width:{wide:g}px;height:{inner:g}px;padding:0;border-radius:3px",
    )  # fmt: skip


def _frames(wide: float, deep: float) -> str:
    step = deep * 1.6 + 2
    frames = "".join(
        f'<rect x="{at * step:.0f}" width="{step - 2:.0f}" height="{deep:g}" opacity="{0.16 + 0.07 * (at * 7 % 4):g}"/>'
        for at in range(max(1, int(wide // step)))
    )
    return f'<svg width="{wide:g}" height="{deep:g}"><g fill="currentColor">{frames}</g></svg>'


def _meter(scene: Scene, width: float, height: float) -> str:
    bars = ""
    for at in range(2):
        level = scene.rng.uniform(0.3, 0.8) * (height - 16)
        left = 10 + at * 20
        bars += (
            f'<rect x="{left}" y="8" width="12" height="{height - 16:g}" fill="var(--zg-line)" opacity=".5"/>'
            f'<rect x="{left}" y="{height - 8 - level:.0f}" width="12" height="{level:.0f}" fill="{TINTS["green"]}"/>'
        )
    return f'<svg width="{width:g}" height="{height:g}">{bars}</svg>'


def _status(plan: FilmPlan) -> Box:
    scene = plan.scene
    return Box(
        (
            Text(scene.say("time_frame_rate", rate=scene.rng.choice((24, 25, 30, 50, 60))), "small"),
            Text("1920 × 1080", "small muted"),
            spring(),
            Text(scene.say("time_dropped", count=scene.rng.randint(0, 9)), "small muted"),
        ),
        Part.STATUSBAR,
        flow="row",
        gap_px=16,
        css=f"height:{_STATUS_PX:g}px;padding:0 10px",
    )
