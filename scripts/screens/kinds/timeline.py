"""A video editor: media bin, preview with transport buttons, tracks with mute, lock and eye, clips, effect cards."""

from __future__ import annotations

from screens.page import TINTS, Page


def _bin(page: Page, height: int, names: list[str]) -> str:
    cards = ""
    for name in names[: height // 132 * 2]:
        mark = page.tool(
            "flag",
            14,
            "media flag",
            relation=(f"Flag the clip {name} in the media bin", f"Mark {name} in the bin with a flag"),
        )
        attr = page.target("media thumbnail", name=f"Preview the clip {name} from the media bin")
        cards += (
            f'<div class="col none g4" style="width:140px"><div style="height:84px"{attr}>{page.scene(140, 84)}</div><span class="row g4">'
            f'<span class="grow clip sm">{name}</span><span class="muted">{mark}</span></span></div>'
        )
    tools = ""
    for icon, say in [
        ("plus", "Import media"),
        ("search", "Search the media bin"),
        ("list", "Show the media bin as a list"),
        ("sort", "Sort the media bin"),
    ]:
        tools += page.tool(icon, 18, "panel button", function=say)
    return (
        f'<div class="col none panel br p12 g8" style="width:318px;height:{height}px"><div class="row g8"><b class="grow sm">Media bin</b>{tools}</div>'
        f'<div class="row g12" style="flex-wrap:wrap;align-content:flex-start">{cards}</div></div>'
    )


def _preview(page: Page, height: int) -> str:
    view_h = height - 80
    view_w = view_h * 16 // 9
    buttons = ""
    for icon, say in [("skipback", "Jump to the start"), ("prev", "Go one frame back"), ("play", "Play the video"), ("stop", "Stop the preview"),
                      ("next", "Go one frame forward"), ("skipforward", "Jump to the end"), ("record", "Record a voice-over"),
                      ("camera", "Take a still picture"), ("volume", "Mute the preview"), ("expand", "Show the preview full screen")]:  # fmt: skip
        buttons += page.tool(icon, 22, "transport button", function=say)
    attr = page.target("preview", function=("Click on the preview picture", "Select the preview monitor"))
    return (
        f'<div class="col grow sunk p12 g8" style="align-items:center;height:{height}px"><div style="width:{view_w}px;max-width:100%;height:{view_h}px;'
        f'overflow:hidden"{attr}>{page.scene(view_w, view_h)}</div><div class="row g8"><span class="mono sm">00:0{page.rng.randint(1, 9)}:'
        f"{page.rng.randint(10, 59)}:12</span>{buttons}</div></div>"
    )


def _effects(page: Page, height: int) -> str:
    rows = ""
    names = page.rng.sample(
        ["Blur", "Sharpen", "Vignette", "Fade in", "Fade out", "Sepia", "Grain", "Glow", "Mirror", "Echo"], 10
    )
    for name in names[: (height - 50) // 74]:
        attr = page.target(
            "effect card", label=name, name=f"Apply the {name} effect", function=f"Add {name} to the clip"
        )
        star = page.tool("star", 14, "effect star", relation=f"Make {name} a favourite effect")
        rows += (
            f'<div class="card row none p8 g12" style="height:66px"{attr}><i style="width:48px;height:48px;background:{page.rng.choice(TINTS)}"></i>'
            f'<b class="grow">{name}</b><span class="muted">{star}</span></div>'
        )
    close = page.tool("close", 14, "panel close", function="Close the Effects panel")
    return f'<div class="col none panel bl p12 g8" style="width:250px;height:{height}px"><div class="row"><b class="grow sm">Effects</b>{close}</div>{rows}</div>'


def _wave(page: Page, width: int, height: int) -> str:
    bars = "".join(f"M{x} {height}v-{page.rng.randint(2, max(3, height - 4))}" for x in range(2, width, 6))
    return f'<svg width="{width}" height="{height}"><path d="{bars}" stroke="rgba(255,255,255,.45)" stroke-width="2"/></svg>'


def _track(page: Page, name: str, height: int, clips: list[str], width: int) -> str:
    rng = page.rng
    icons = (
        page.tool("eye", 16, "track icon", relation=(f"Hide the track {name}", f"Click the eye of the track {name}"))
        + page.tool(
            "lock", 16, "track icon", relation=(f"Lock the track {name}", f"Protect the track {name} from changes")
        )
        + page.tool("mute", 16, "track icon", relation=(f"Mute the track {name}", f"Silence the track {name}"))
    )
    blocks, x = "", rng.randint(0, 60)
    for clip in clips:
        w = rng.randint(width // 6, width * 4 // 15)
        key = page.tool("diamond", 12, "keyframe", relation=f"Select the keyframe of the clip {clip} on the timeline")
        attr = page.target(
            "clip", relation=(f"Select the clip {clip} on the timeline", f"Click on {clip} in the track {name}")
        )
        blocks += (
            f'<div class="col" style="position:absolute;left:{x}px;top:2px;width:{w}px;height:{height - 5}px;background:{rng.choice(TINTS)};color:#fff;'
            f'padding:4px 8px;border-radius:3px;justify-content:space-between"{attr}><span class="row"><span class="grow sm clip">{clip}</span>'
            f"{key}</span>{_wave(page, w - 16, height - 30)}</div>"
        )
        x += w + rng.choice([2, 24, 70])
    return (
        f'<div class="row none bb" style="height:{height}px;align-items:stretch"><div class="row none panel br g8" style="width:190px;padding:0 10px">'
        f'<b class="grow clip sm">{name}</b><span class="row g8 muted">{icons}</span></div><div class="grow" style="position:relative">{blocks}</div></div>'
    )


def build(page: Page) -> str:
    """Body of the video editor."""
    rng = page.rng
    clips = page.words("clip", 99)
    clips += [f"{clip} {n}" for n in (2, 3) for clip in clips]
    top = (page.height - 86) * 11 // 20
    names = ["Video 1", "Video 2", "Titles", "Dialogue", "Music", "Ambience"]
    rng.shuffle(names)
    left = page.height - 86 - top - 60
    tracks, used = "", 0
    for name in names:
        height = rng.choice([46, 66, 80]) + (page.height - 800) // 16
        if left < height:
            break
        left -= height
        take = 3
        tracks += _track(page, name, height, clips[used : used + take], page.width - 200)
        used += take
    tools = ""
    for icon, say in [("pointer", "Pick the selection tool"), ("cut", "Pick the razor to cut clips"), ("hand", "Pick the hand tool"), ("magnet", "Turn snapping on"),
                      ("link", "Link picture and sound"), ("undo", "Undo the last edit"), ("redo", "Redo the last edit"), ("text", "Add a title"),
                      ("mic", "Arm the microphone"), ("zoomout", "Zoom out of the timeline"), ("zoomin", "Zoom in on the timeline")]:  # fmt: skip
        tools += page.tool(icon, 22, "timeline tool", function=say)
    marks = "".join(
        f'<span class="sm muted mono" style="width:120px">00:{n * 5:02}</span>'
        for n in range((page.width - 190) // 120)
    )
    return (
        page.titlebar(f"{page.word('company')} film - Splice")
        + page.menus("File", "Edit", "Clip", "Sequence", "Markers", "Window", "Help")
        + f'<div class="row none" style="align-items:stretch">{_bin(page, top, clips[::-1])}{_preview(page, top)}{_effects(page, top)}</div>'
        + f'<div class="row none bar g8 bt" style="height:32px;padding:0 10px">{tools}</div>'
        + f'<div class="row none bb" style="height:20px;padding-left:190px">{marks}</div><div class="col grow">{tracks}</div>'
    )
