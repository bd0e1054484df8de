"""The panels around a code editor's text: terminal and problems below, source control at the side."""

from __future__ import annotations

from dataclasses import dataclass

from zoomground.synth import sources
from zoomground.synth.drawings import commit_mark
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import column, entry, field, record, row
from zoomground.synth.worded import row_tool, worded_button, worded_tab, worded_tools

_LINE = "1px solid var(--zg-line)"


@dataclass(slots=True)
class CodePlan:
    """What one seed decided about the window: sizes in CSS px."""

    scene: Scene
    line: float
    code: float
    tool: float
    close: float
    ending: str

    def file(self) -> str:
        """A file's name."""
        rng = self.scene.rng
        return self.scene.fake(lambda _: f"{rng.choice(sources.NOUNS)}_{rng.choice(sources.NOUNS)}.{self.ending}")


def section(plan: CodePlan, key: str, tools: list[Element]) -> Box:
    """A heading of a side bar, with small tools."""
    return row(
        Text(plan.scene.say(key), "strong small", css="flex:1 1 0"), *tools, gap_px=1,
        css=f"height:{plan.line + 2:g}px;padding:0 6px 0 10px;background:var(--zg-bar)",
    )  # fmt: skip


def lower_panel(plan: CodePlan, files: list[list[str]], width: float, height: float) -> Box:
    """Terminal, and the list of problems."""
    scene = plan.scene
    keys = ("code_terminal", "code_problems", "code_output", "code_console", "code_ports")
    tabs = [worded_tab(scene, key, selected=not at, css="height:28px;min-height:0") for at, key in enumerate(keys)]
    tools = (
        ("plus", "code_terminal_new"), ("split", "code_terminal_split"), ("trash", "code_terminal_kill"),
        ("up", "code_panel_max"), ("close", "code_panel_close"),
    )  # fmt: skip
    head = row(
        Box(tuple(tabs), Part.TABLIST, flow="row", css="flex:1 1 0;border-bottom:0;overflow:hidden"),
        *worded_tools(scene, tools, plan.tool), gap_px=2, css=f"height:30px;padding:0 8px;border-bottom:{_LINE}",
    )  # fmt: skip
    deep = height - 31
    right = min(720.0, max(300.0, width * 0.42))
    count = int((deep - 6) // plan.line)
    names = [one for group in files for one in group]
    problems = [_problem(plan, names[at % len(names)], at) for at in range(count)]
    said = Box(
        tuple(_shell(plan, int((deep - 8) // plan.code))), css="flex:1 1 0;min-width:0;padding:4px 12px;overflow:hidden"
    )
    listed = Box(
        tuple(problems), Part.LIST, scene.say("code_problems"), named_on_screen=True,
        css=f"width:{right:g}px;border-left:{_LINE};padding-top:3px",
    )  # fmt: skip
    body = row(said, listed, gap_px=0, css=f"height:{deep:g}px;align-items:stretch")
    return Box((head, body), css=f"height:{height:g}px;border-top:{_LINE};background:var(--zg-panel);overflow:hidden")


def _shell(plan: CodePlan, count: int) -> list[Node]:
    rng, found = plan.scene.rng, list[Node]()
    prompts = ("make test", "git status", "git pull", "ls -l src", "run --watch")
    while len(found) < count:
        texts = [f"$ {rng.choice(prompts)}"]
        for _ in range(rng.randint(2, 7)):
            file = (
                f"{rng.choice(sources.FOLDERS)}/{rng.choice(sources.NOUNS)}_{rng.choice(sources.NOUNS)}.{plan.ending}"
            )
            texts.append(f"{rng.choice(('ok', 'ok', 'ok', 'skip', 'FAIL'))}   {file}   {rng.uniform(0, 4):.3f}s")
        size = f"font-size:{plan.code - 5:g}px;height:{plan.code:g}px;line-height:{plan.code:g}px"
        found += [Text(text, "mono" if at else "mono accent", css=size) for at, text in enumerate(texts)]
    return found[:count]


def _problem(plan: CodePlan, file: str, at: int) -> Node:
    scene, rng = plan.scene, plan.scene.rng
    name = scene.fake(lambda _: f"'{rng.choice(sources.NOUNS)}' {rng.choice(scene.choices('code_problem_texts'))}")
    where = f"{file}:{rng.randint(1, 600)}"
    tool = min(plan.tool - 2, plan.line - 4)
    item = entry(
        name, icon="warn" if at % 3 else "close", tint="orange" if at % 3 else "red", size_px=plan.line,
        goals=scene.goals("code_problem", file=where), css="flex:1 1 0;padding:0 6px;border:0;background:none",
    )  # fmt: skip
    tools = [
        row_tool(scene, "pencil", "code_problem_fix", size_px=tool),
        row_tool(scene, "copy", "code_problem_copy", size_px=tool),
    ]
    return record(
        name,
        [item, Text(where, "muted small"), *tools],
        gap_px=4,
        css=f"height:{plan.line:g}px;padding:0 8px;overflow:hidden",
    )


def source_control(plan: CodePlan, width: float, height: float) -> Box:
    """What was edited, what was committed."""
    scene = plan.scene
    head = section(plan, "code_git", worded_tools(
        scene, (("download", "code_pull"), ("upload", "code_push"), ("refresh", "code_sync"), ("dots", "code_more")),
        min(plan.tool, plan.line),
    ))  # fmt: skip
    write = column(
        field(scene.say("code_message"), size_px=28, css="width:100%"),
        worded_button(scene, "code_commit", icon="check", kind="primary", size_px=28, css="width:100%"),
        gap_px=4, css="padding:6px",
    )  # fmt: skip
    count = int((height - 76 - 3 * (plan.line + 2) - plan.line - 4) // plan.line)
    shares = [int(count * 0.2), int(count * 0.45)]
    boxes: list[Node] = [head, write]
    for key, many in zip(("code_staged", "code_changed"), shares, strict=True):
        rows = [_changed(plan, staged=key == "code_staged") for _ in range(many)]
        boxes.append(Box((section(plan, key, []), *rows), name=scene.say(key), named_on_screen=True))
    past = [_commit(plan) for _ in range(count - sum(shares))]
    boxes.append(Box((section(plan, "code_history", []), *past), name=scene.say("code_history"), named_on_screen=True))
    return Box(tuple(boxes), Part.SIDEBAR, css=f"width:{width:g}px;height:{height:g}px;border-left:{_LINE}")


def _changed(plan: CodePlan, *, staged: bool) -> Node:
    scene, name, tool = plan.scene, plan.file(), min(plan.tool - 2, plan.line - 4)
    pairs = [("file", "code_open_file"), ("undo", "code_discard"), ("plus", "code_stage")]
    tools = [row_tool(scene, icon, key, size_px=tool, name=name) for icon, key in pairs[: 2 if staged else 3]]
    item = entry(name, role=Role.TREEITEM, icon="file", size_px=plan.line, css="flex:1 1 0;padding:0 4px 0 12px")
    letter = Text(scene.rng.choice("MMMUD"), "small muted", css="width:14px")
    return record(name, [item, *tools, letter], gap_px=1, css=f"height:{plan.line:g}px;padding-right:4px")


def _commit(plan: CodePlan) -> Node:
    scene, name = plan.scene, plan.scene.title(3, 6)
    dot = Picture(commit_mark(scene, plan.line))
    item = entry(name, size_px=plan.line, css="flex:1 1 0;padding:0 4px;border:0;background:none")
    tools = [
        row_tool(scene, icon, key, size_px=min(plan.tool - 2, plan.line - 4))
        for icon, key in (("copy", "code_problem_copy"), ("undo", "code_revert"))
    ]
    return record(name, [dot, item, *tools], gap_px=2, css=f"height:{plan.line:g}px;padding:0 4px 0 10px")
