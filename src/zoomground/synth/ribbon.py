"""A spreadsheet's bars: tabs, and a ribbon of small icons in named groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import TINTS, Box, Element, Node, Part, Role, Text
from zoomground.synth.widgets import field, row, spring, tab, tool, toolbar
from zoomground.synth.worded import worded_button, worded_tool, worded_tools

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

_LINE = "1px solid var(--zg-line)"
TABS_PX = 32.0
"""Height of the tabs above the ribbon."""

_TABS = (
    "sheet_file", "sheet_home", "sheet_insert", "sheet_layout", "sheet_formulas", "sheet_data", "sheet_review",
    "sheet_view", "sheet_help",
)  # fmt: skip
_QUICK = (("save", "sheet_save"), ("undo", "sheet_undo"), ("redo", "sheet_redo"), ("print", "sheet_print"))
_GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("sheet_g_clipboard", (("paste", "sheet_paste"), ("paste", "sheet_paste_values"), ("cut", "sheet_cut"),
                           ("copy", "sheet_copy"), ("brush", "sheet_painter"), ("trash", "sheet_clear"))),
    ("sheet_g_font", (("bold", "sheet_bold"), ("italic", "sheet_italic"), ("underline", "sheet_underline"),
                      ("strike", "sheet_strike"), ("borders", "sheet_borders"), ("bucket", "sheet_fill"),
                      ("text", "sheet_font_colour"))),
    ("sheet_g_align", (("left", "sheet_left"), ("center", "sheet_center"), ("right", "sheet_right"),
                       ("justify", "sheet_justify"), ("rotate", "sheet_rotate"), ("outdent", "sheet_outdent"),
                       ("indent", "sheet_indent"), ("wrap", "sheet_wrap"), ("merge", "sheet_merge"))),
    ("sheet_g_number", (("currency", "sheet_currency"), ("percent", "sheet_percent"), ("hash", "sheet_thousands"),
                        ("moredecimals", "sheet_more_decimals"), ("fewerdecimals", "sheet_fewer_decimals"),
                        ("calendar", "sheet_date_format"), ("clock", "sheet_time_format"))),
    ("sheet_g_edit", (("sum", "sheet_sum"), ("function", "sheet_function"), ("ascending", "sheet_sort_az"),
                      ("descending", "sheet_sort_za"), ("filter", "sheet_filter"), ("search", "sheet_find"))),
    ("sheet_g_cells", (("plus", "sheet_insert_row"), ("columns", "sheet_insert_column"), ("minus", "sheet_delete_row"),
                       ("eyeoff", "sheet_hide"), ("lock", "sheet_lock"), ("group", "sheet_group"))),
    ("sheet_g_objects", (("chart", "sheet_chart"), ("pie", "sheet_pie"), ("trend", "sheet_trend"),
                         ("table", "sheet_table"), ("image", "sheet_image"), ("rect", "sheet_shape"),
                         ("text", "sheet_text_box"), ("link", "sheet_link"), ("pin", "sheet_comment"))),
    ("sheet_g_view", (("freeze", "sheet_freeze"), ("split", "sheet_split"), ("grid", "sheet_gridlines"),
                      ("eye", "sheet_show"), ("refresh", "sheet_refresh"), ("upload", "sheet_export"),
                      ("download", "sheet_export_as"))),
)  # fmt: skip


def tabs(scene: Scene) -> Box:
    """The tabs of the ribbon, between quick tools and what concerns the whole workbook."""
    heads = [
        tab(scene.say(key), selected=key == "sheet_home", css="flex:0 1 auto;min-width:0;height:31px;min-height:0")
        for key in _TABS
    ]
    return Box(
        (
            *worded_tools(scene, _QUICK, 22),
            Box(tuple(heads), Part.TABLIST, flow="row", css="flex:0 1 auto;border-bottom:0"),
            spring(),
            worded_tool(scene, "help", "sheet_help", size_px=22),
            worded_button(scene, "sheet_comments", icon="pencil", size_px=24),
            worded_button(scene, "sheet_share", icon="share", kind="primary", size_px=24),
        ),
        Part.MENUBAR,
        flow="row",
        gap_px=4,
        css=f"height:{TABS_PX:g}px;padding:0 8px;overflow:hidden",
    )


def ribbon(scene: Scene, icon: float, height: float) -> Box:
    """As many groups as fit, with icons of this side."""
    groups: list[Node] = []
    left = scene.width - 12
    for key, pairs in _GROUPS:
        group, width = _group(scene, key, pairs, icon, height)
        if width > left:
            break
        groups.append(group)
        left -= width
    across = (10 // 2) * (icon + 2) + 14
    if left > across:
        groups.append(_swatches(scene, icon, across, height))
    return toolbar(groups, gap_px=0, css=f"height:{height:g}px;padding:0 4px;align-items:stretch")


def _group(
    scene: Scene, key: str, pairs: tuple[tuple[str, str], ...], icon: float, height: float
) -> tuple[Box, float]:  # fmt: skip
    name = scene.say(key)
    step = icon + 2
    upper: list[Node] = []
    used = 0.0
    if key == "sheet_g_font":
        upper = [
            _choice(scene, "sheet_font_name", "Liberation Sans", 112, icon),
            _choice(scene, "sheet_font_size", "11", 54, icon),
        ]
        upper += worded_tools(scene, (("up", "sheet_larger"), ("down", "sheet_smaller")), icon)
        used = 112 + 54 + 2 * step + 4
    elif key == "sheet_g_number":
        upper = [_choice(scene, "sheet_format", scene.rng.choice(scene.choices("sheet_formats")), 118, icon)]
        used = 120
    tools = worded_tools(scene, pairs, icon)
    if used:
        many = max(2, int(used // step))
        lower, extra = tools[:many], tools[many:]
        upper += extra
        used += len(extra) * step
    else:
        many = (len(tools) + 1) // 2
        upper, lower = list(tools[:many]), tools[many:]
    width = max(used, many * step, 78.0) + 14
    caption = row(
        Text(name, "muted small", css="flex:1 1 0;text-align:center"),
        tool("down", scene.say("sheet_more", name=name), size_px=14), gap_px=0, css="height:17px",
    )  # fmt: skip
    box = Box(
        (
            row(*upper, gap_px=2, css=f"height:{step:g}px"),
            row(*lower, gap_px=2, css=f"height:{step:g}px"),
            spring(),
            caption,
        ),
        Part.PLAIN,
        name,
        named_on_screen=True,
        css=f"width:{width:g}px;height:{height - 1:g}px;padding:4px 6px 1px;border-right:{_LINE}",
    )
    return box, width


def _choice(scene: Scene, key: str, value: str, width: float, icon: float) -> Element:
    return field(scene.say(key), value=value, role=Role.COMBOBOX, width_px=width, size_px=icon, css="padding-left:4px")


def _swatches(scene: Scene, icon: float, width: float, height: float) -> Box:
    name = scene.say("sheet_colours")
    names = scene.choices("sheet_colour_names")
    tints = list(zip(TINTS, names, strict=True))
    rows = [
        row(*(
            Element(Role.BUTTON, label=said, tint=tint, size_px=icon - 4,
                    css=f"width:{icon - 4:g}px;min-width:0;padding:0;margin:2px")
            for tint, said in part), gap_px=2, css=f"height:{icon + 2:g}px")
        for part in (tints[:5], tints[5:])
    ]  # fmt: skip
    caption = Text(name, "muted small", css="text-align:center;height:17px")
    return Box(
        (*rows, spring(), caption), Part.PLAIN, name, named_on_screen=True,
        css=f"width:{width:g}px;height:{height - 1:g}px;padding:4px 6px 1px;border-right:{_LINE}",
    )  # fmt: skip
