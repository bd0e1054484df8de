"""Own icons, drawn for this project on a 24 x 24 grid (strokes, round ends, no fill).

Shorthand inside a drawing: ``C cx cy r`` is a circle, ``R x y w h r`` a rounded rectangle, anything else is SVG path
data; parts are separated by ``|``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from pathlib import Path

ICONS = {
    "new": "M6 3h8l5 5v13H6z|M14 3v5h5",
    "folder": "M3 6h6l2 3h10v10H3z",
    "save": "M4 4h13l3 3v13H4z|M8 4v6h8V4|M8 20v-6h8v6",
    "print": "M7 9V4h10v5|R 3 9 18 8 1|M7 14h10v6H7z",
    "undo": "M9 5L4 10l5 5|M4 10h10a5 5 0 0 1 0 10h-3",
    "redo": "M15 5l5 5-5 5|M20 10H10a5 5 0 0 0 0 10h3",
    "cut": "C 6 18 3|C 18 18 3|M8 16L18 3|M16 16L6 3",
    "copy": "R 8 8 12 13 1|M5 16H4V3h12v2",
    "paste": "R 5 5 14 16 1|R 9 3 6 4 1|M9 12h6M9 16h6",
    "bold": "M7 4h6a4 4 0 0 1 0 8H7z|M7 12h7a4 4 0 0 1 0 8H7z",
    "italic": "M10 4h8M6 20h8M14 4l-4 16",
    "underline": "M7 4v7a5 5 0 0 0 10 0V4|M5 21h14",
    "strike": "M17 6c-2-3-9-3-9 1 0 3 9 4 9 9 0 5-8 5-10 1|M3 12h18",
    "left": "M4 5h16M4 10h10M4 15h16M4 20h10",
    "center": "M4 5h16M7 10h10M4 15h16M7 20h10",
    "right": "M4 5h16M10 10h10M4 15h16M10 20h10",
    "justify": "M4 5h16M4 10h16M4 15h16M4 20h16",
    "bullets": "C 5 6 1|C 5 12 1|C 5 18 1|M10 6h10M10 12h10M10 18h10",
    "numbers": "M4 4h2v5M4 14h3l-3 5h3|M11 6h9M11 12h9M11 18h9",
    "indent": "M4 5h16M11 10h9M11 15h9M4 20h16|M4 9l4 3.5L4 16",
    "outdent": "M4 5h16M11 10h9M11 15h9M4 20h16|M8 9l-4 3.5L8 16",
    "link": "M10 8H7a4 4 0 0 0 0 8h3|M14 8h3a4 4 0 0 1 0 8h-3|M9 12h6",
    "image": "R 3 4 18 16 2|C 8 9 2|M4 18l6-6 4 4 3-3 4 4",
    "table": "R 3 4 18 16 1|M3 10h18M3 15h18M10 4v16",
    "search": "C 10 10 6|M15 15l6 6",
    "zoomin": "C 10 10 6|M15 15l6 6|M7 10h6M10 7v6",
    "zoomout": "C 10 10 6|M15 15l6 6|M7 10h6",
    "trash": "M4 6h16|M9 6V3h6v3|M6 6l1 15h10l1-15|M10 10v7M14 10v7",
    "pencil": "M4 20l1-5L16 4l4 4L9 19z|M14 6l4 4",
    "star": "M12 3l2.6 6 6.4.6-4.8 4.3 1.4 6.4L12 17l-5.6 3.3 1.4-6.4L3 9.6 9.4 9z",
    "flag": "M5 21V4h13l-3 4 3 4H5",
    "reply": "M10 5L3 11l7 6v-4c5 0 8 1 11 6-1-8-5-10-11-10z",
    "forward": "M14 5l7 6-7 6v-4c-5 0-8 1-11 6 1-8 5-10 11-10z",
    "archive": "R 3 4 18 5 1|M5 9v11h14V9|M10 13h4",
    "attach": "M19 11l-8 8a5 5 0 0 1-7-7l9-9a3.5 3.5 0 0 1 5 5l-9 9a1.800 1.800 0 0 1-2.500-2.500l7-7",
    "mail": "R 3 5 18 14 1|M3 7l9 7 9-7",
    "inbox": "M3 13l3-9h12l3 9v7H3z|M3 13h5l1 3h6l1-3h5",
    "send": "M3 11L21 3l-6 18-4-8z|M11 13l4-4",
    "shield": "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
    "close": "M6 6l12 12M18 6L6 18",
    "plus": "M12 5v14M5 12h14",
    "minus": "M5 12h14",
    "check": "M4 13l5 5L20 6",
    "down": "M6 9l6 6 6-6",
    "up": "M6 15l6-6 6 6",
    "next": "M9 6l6 6-6 6",
    "prev": "M15 6l-6 6 6 6",
    "menu": "M4 6h16M4 12h16M4 18h16",
    "dots": "C 5 12 1.4|C 12 12 1.4|C 19 12 1.4",
    "kebab": "C 12 5 1.4|C 12 12 1.4|C 12 19 1.4",
    "gear": "C 12 12 3.5|C 12 12 7|M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
    "bell": "M6 17V11a6 6 0 0 1 12 0v6l2 1H4z|M10 21h4",
    "user": "C 12 8 4|M4 21c0-5 3.500-8 8-8s8 3 8 8",
    "users": "C 9 8 3.500|M2 20c0-5 3-7 7-7s7 2 7 7|M16 5a3.500 3.500 0 0 1 0 6.500M18 14c3 1 4 3 4 6",
    "lock": "R 5 11 14 10 1|M8 11V8a4 4 0 0 1 8 0v3",
    "eye": "M2 12c5-9 15-9 20 0-5 9-15 9-20 0z|C 12 12 3",
    "eyeoff": "M2 12c5-9 15-9 20 0-5 9-15 9-20 0z|M4 20L20 4",
    "play": "M7 4l13 8-13 8z",
    "pause": "R 6 4 4 16 1|R 14 4 4 16 1",
    "stop": "R 5 5 14 14 1",
    "skipback": "M19 5L9 12l10 7z|M5 5v14",
    "skipforward": "M5 5l10 7-10 7z|M19 5v14",
    "record": "C 12 12 8|C 12 12 3",
    "volume": "M4 9h4l5-5v16l-5-5H4z|M16 9c2 2 2 4 0 6M19 6c4 4 4 8 0 12",
    "mute": "M4 9h4l5-5v16l-5-5H4z|M16 9l6 6M22 9l-6 6",
    "mic": "R 9 3 6 11 3|M5 11a7 7 0 0 0 14 0|M12 18v3",
    "camera": "M3 7h4l2-3h6l2 3h4v13H3z|C 12 13 4",
    "film": "R 3 4 18 16 1|M8 4v16M16 4v16M3 9h5M3 15h5M16 9h5M16 15h5",
    "music": "M9 18V5l11-2v13|C 6 18 3|C 17 16 3",
    "magnet": "M5 4h4v8a3 3 0 0 0 6 0V4h4v8a7 7 0 0 1-14 0z|M5 8h4M15 8h4",
    "layers": "M12 3l9 5-9 5-9-5z|M3 12l9 5 9-5|M3 16l9 5 9-5",
    "pointer": "M5 3l14 8-6 2-3 6z",
    "pen": "M12 3l4 9-2 5h-4l-2-5z|M12 3v9|M9 21h6",
    "brush": "M20 3c-6 3-9 7-11 10l3 3c3-2 6-6 8-13z|M9 14c-4 0-3 5-6 6 4 2 9 0 8-4",
    "eraser": "M8 20L3 15 14 4l6 6-10 10z|M9 9l6 6M8 20h12",
    "bucket": "M11 3l9 9-8 8-9-9z|M5 11h14|M21 16c-2 3-1 5 0 5s2-2 0-5",
    "dropper": "M14 6l4 4-9 9-5 1 1-5z|M16 3l5 5",
    "rect": "R 3 6 18 12 0",
    "ellipse": "M3 12a9 6 0 0 0 18 0 9 6 0 0 0-18 0",
    "line": "M4 20L20 4",
    "polygon": "M12 3l9 7-3.500 10h-11L3 10z",
    "text": "M5 7V4h14v3|M12 4v16|M9 20h6",
    "crop": "M7 2v15h15|M2 7h15v15",
    "rotate": "M20 12a8 8 0 1 1-3-6|M17 2v5h-5",
    "fliph": "M12 3v18|M9 7l-6 10h6z|M15 7l6 10h-6z",
    "flipv": "M3 12h18|M7 9l10-6v6z|M7 15l10 6v-6z",
    "hand": "M7 12V6M11 11V3M15 11V4M19 13V7|M7 12l-3-1 5 10h8l2-8",
    "ruler": "M3 16L16 3l5 5L8 21z|M7 12l2 2M10 9l3 3M13 6l2 2",
    "group": "R 4 4 9 9 0|R 11 11 9 9 0",
    "spline": "C 5 19 2|C 19 5 2|M5 17C5 8 12 5 17 5",
    "spray": "R 7 9 8 12 1|R 9 5 4 4 0|M16 5h1M19 3h1M19 7h1M16 9h1",
    "file": "M6 3h8l5 5v13H6z|M14 3v5h5|M9 13h7M9 17h7",
    "download": "M12 3v12|M7 10l5 5 5-5|M4 20h16",
    "upload": "M12 16V4|M7 9l5-5 5 5|M4 20h16",
    "share": "C 6 12 2.500|C 18 6 2.500|C 18 18 2.500|M8 11l8-4M8 13l8 4",
    "refresh": "M20 8A8.500 8.500 0 0 0 4 10M4 3v7h6|M4 16a8.500 8.500 0 0 0 16-2M20 21v-7h-6",
    "home": "M3 12l9-8 9 8|M6 10v10h12V10|M10 20v-6h4v6",
    "calendar": "R 3 5 18 16 1|M3 10h18M8 2v5M16 2v5",
    "clock": "C 12 12 9|M12 6v6l4 3",
    "chart": "M4 3v17h17|M8 16v-5M12 16V7M16 16v-7",
    "pie": "M12 3v9h9a9 9 0 1 1-9-9z|M15 2a8 8 0 0 1 7 7h-7z",
    "trend": "M3 17l6-6 4 4 8-9|M15 6h6v6",
    "filter": "M3 4h18l-7 9v7l-4-2v-5z",
    "sort": "M8 4v16M4 16l4 4 4-4|M16 20V4M12 8l4-4 4 4",
    "columns": "R 3 4 18 16 1|M9 4v16M15 4v16",
    "grid": "R 4 4 6 6 1|R 14 4 6 6 1|R 4 14 6 6 1|R 14 14 6 6 1",
    "list": "M8 6h12M8 12h12M8 18h12M4 6h.1M4 12h.1M4 18h.1",
    "pin": "M8 3h8l-1 7 3 4H6l3-4z|M12 14v7",
    "bug": "R 7 8 10 12 5|M9 8a3 3 0 0 1 6 0|M3 9l4 3M21 9l-4 3M2 15h5M22 15h-5M4 21l4-3M20 21l-4-3",
    "terminal": "R 3 4 18 16 1|M7 9l4 3-4 3M13 15h4",
    "branch": "C 6 5 2|C 6 19 2|C 18 8 2|M6 7v10|M18 10c0 5-8 3-12 6",
    "blocks": "R 3 11 8 10 1|R 13 11 8 10 1|R 8 3 8 6 1",
    "phone": "M5 3h4l2 5-3 2c1 3 3 5 6 6l2-3 5 2v4c-9 3-19-7-16-16z",
    "video": "R 2 6 13 12 2|M15 11l7-4v10l-7-4z",
    "smile": "C 12 12 9|M8 14c2 4 6 4 8 0M9 9h.1M15 9h.1",
    "globe": "C 12 12 9|M3 12h18M12 3c-6 6-6 12 0 18 6-6 6-12 0-18",
    "sun": "C 12 12 4|M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
    "moon": "M20 14A8.500 8.500 0 1 1 10 4a7 7 0 0 0 10 10z",
    "wifi": "M2 9c6-6 14-6 20 0M5 13c4-4 10-4 14 0M9 17c2-2 4-2 6 0M12 20h.1",
    "display": "R 2 4 20 13 1|M12 17v4M8 21h8",
    "keyboard": "R 2 6 20 12 1|M6 10h.1M10 10h.1M14 10h.1M18 10h.1M7 14h10",
    "key": "C 8 15 4|M11 12l9-9M16 7l3 3",
    "card": "R 2 5 20 14 2|M2 10h20M6 15h4",
    "truck": "R 2 6 12 11 0|M14 10h4l4 4v3h-8z|C 7 18 2|C 18 18 2",
    "tag": "M3 3h9l9 9-9 9-9-9z|C 8 8 1.500",
    "place": "M12 22c-5-6-7-9-7-12a7 7 0 0 1 14 0c0 3-2 6-7 12z|C 12 10 2.500",
    "help": "C 12 12 9|M9 9c1-4 7-3 6 1-1 2-3 2-3 4M12 18h.1",
    "info": "C 12 12 9|M12 11v6M12 7h.1",
    "warn": "M12 3l10 18H2z|M12 10v5M12 18h.1",
    "expand": "M14 4h6v6M20 4l-7 7|M10 20H4v-6M4 20l7-7",
    "window": "R 3 4 18 16 1|M3 9h18",
    "max": "R 5 5 14 14 0",
    "palette": "M12 3a9 9 0 1 0 0 18c3 0 1-3 2-4 2-2 7 1 7-5 0-5-4-9-9-9z|C 8 10 1|C 12 7 1|C 16 10 1",
    "sum": "M18 7V4H6l7 8-7 8h12v-3",
    "percent": "M5 19L19 5|C 7 7 2.500|C 17 17 2.500",
    "at": "C 12 12 4|M16 8v6c0 4 5 2 5-2a9 9 0 1 0-4 7",
    "hash": "M9 3L7 21M17 3l-2 18M4 8h17M3 16h17",
    "function": "M11 4c-3 0-3 2-4 8s-1 8-4 8|M4 11h7|M14 12l6 7M20 12l-6 7",
    "merge": "R 3 5 18 14 1|M3 12h5M21 12h-5|M6 10l2 2-2 2M18 10l-2 2 2 2",
    "wrap": "M4 6h16|M4 12h13a3 3 0 0 1 0 6h-4|M15 15l-3 3 3 3|M4 18h4",
    "moredecimals": "M16 7H4M8 3L4 7l4 4|C 7 17 3|C 17 17 3",
    "fewerdecimals": "M4 7h12M12 3l4 4-4 4|C 7 17 3",
    "currency": "C 12 12 9|M15 9c-2-2-6-1-6 1 0 2 6 2 6 4s-4 3-6 1|M12 6v12",
    "ascending": "M7 20V4M3 8l4-4 4 4|M14 6h3M14 12h5M14 18h7",
    "descending": "M7 4v16M3 16l4 4 4-4|M14 6h7M14 12h5M14 18h3",
    "borders": "R 4 4 16 16 0|M4 12h16M12 4v16",
    "freeze": "R 3 4 18 16 1|M3 10h18M10 4v16|M3 4l7 6",
    "split": "R 3 4 18 16 1|M12 4v16",
    "headphones": "M4 15v-3a8 8 0 0 1 16 0v3|R 3 14 4 7 1|R 17 14 4 7 1",
    "eject": "M12 5l8 9H4z|M5 19h14",
    "diamond": "M12 4l8 8-8 8-8-8z",
    "arc": "M4 19A15 15 0 0 1 20 5|C 4 19 1.500|C 20 5 1.500",
    "dimension": "M4 5v14M20 5v14|M4 12h16|M7 9l-3 3 3 3M17 9l3 3-3 3",
    "angle": "M4 19h16M4 19L15 5|M12 19a8 8 0 0 0-3-6",
    "hatch": "R 4 4 16 16 0|M4 12l8-8M4 20L20 4M12 20l8-8",
    "fillet": "M5 20v-6a9 9 0 0 1 9-9h6",
    "chamfer": "M5 20v-8l7-7h8",
    "offset": "M4 20V9a5 5 0 0 1 5-5h11|M10 20v-8a2 2 0 0 1 2-2h8",
    "mirror": "M12 3v3M12 9v3M12 15v3M12 20v1|M9 6L3 18h6z|M15 6l6 12h-6z",
    "array": "R 3 3 4 4 0|R 10 3 4 4 0|R 17 3 4 4 0|R 3 10 4 4 0|R 10 10 4 4 0|R 17 10 4 4 0|R 3 17 4 4 0",
    "trim": "M3 12h6M15 12h6|M12 3v18|M9 8l6 8",
    "extend": "M20 3v18|M4 12h12|M12 8l4 4-4 4",
    "explode": "C 12 12 3|M12 3v3M12 18v3M3 12h3M18 12h3M6 6l2 2M16 16l2 2M18 6l-2 2M6 18l2-2",
    "scale": "R 4 12 8 8 0|R 4 4 16 16 0|M13 11l4-4M13 7h4v4",
    "move": "M12 3v18M3 12h18|M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3",
    "union": "M4 4h11v5h5v11H9v-5H4z",
    "subtract": "M4 4h11v5H9v6H4z|M18 9h2v2M20 15v5h-5M11 20H9v-2",
    "intersect": "R 4 4 11 11 0|R 9 9 11 11 0|M9 13l4-4M11 15l4-4",
    "exclude": "R 4 4 11 11 0|R 9 9 11 11 0|M4 8l4-4M16 20l4-4",
    "alignleft": "M4 3v18|R 7 6 13 4 0|R 7 14 8 4 0",
    "aligncentre": "M12 3v3M12 10v4M12 18v3|R 5 6 14 4 0|R 8 14 8 4 0",
    "alignright": "M20 3v18|R 4 6 13 4 0|R 9 14 8 4 0",
    "aligntop": "M3 4h18|R 6 7 4 13 0|R 14 7 4 8 0",
    "alignmiddle": "M3 12h3M10 12h4M18 12h3|R 6 5 4 14 0|R 14 8 4 8 0",
    "alignbottom": "M3 20h18|R 6 4 4 13 0|R 14 9 4 8 0",
    "spreadh": "M4 4v16M20 4v16|R 9 7 6 10 0",
    "spreadv": "M4 4h16M4 20h16|R 7 9 10 6 0",
    "tofront": "R 8 8 8 8 0|M5 13H3V3h10v2M11 19v2h10V11h-2",
    "toback": "R 3 3 9 9 0|R 12 12 9 9 0|M17 9V7M9 17H7",
    "raise": "M12 20V8|M7 12l5-5 5 5|M4 3h16",
    "lower": "M12 4v12|M7 12l5 5 5-5|M4 21h16",
    "node": "C 5 19 2|R 15 3 5 5 0|M6 17C7 10 10 7 15 6",
    "gradient": "R 3 4 18 16 1|M8 4v16M12 4v16M15 4v16M17 4v16M19 4v16",
    "mask": "R 3 3 18 18 1|C 12 12 5|M3 8l5-5M21 16l-5 5",
    "ungroup": "R 3 3 8 8 0|R 13 13 8 8 0|M15 5h5v5M9 19H4v-5",
    "spiral": "M12 13a1 1 0 0 1 1-2 3 3 0 0 1 1 5 5 5 0 0 1-6-6 7 7 0 0 1 11-1",
    "leader": "M3 20l8-9h10|M3 20l1-5M3 20l5-1",
    "fit": "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5|R 8 8 8 8 0",
    "unlock": "R 5 11 14 10 1|M8 11V7a4 4 0 0 1 7-2",
    "ortho": "M5 4v15h15|M5 14h5v5",
    "crosshair": "C 12 12 5|M12 2v7M12 15v7M2 12h7M15 12h7",
    "breakpath": "M4 18l5-5M15 11l5-5|M9 8l6 8",
    "joinpath": "M3 18l7-5M21 6l-7 5|C 12 12 2",
    "guides": "M8 3v18M3 8h18|M13 13h7M13 17h4",
    "cart": "M3 4h3l3 11h9l3-8H7|C 10 19 1.500|C 17 19 1.500",
    "heart": "M12 20C5 15 3 11 4 8c2-4 6-3 8 0 2-3 6-4 8 0 1 3-1 7-8 12z",
    "compare": "M12 3v18M7 21h10|M5 6h14|M5 6l-3 8h6zM19 6l-3 8h6z",
    "bookmark": "M6 3h12v18l-6-5-6 5z",
    "battery": "R 2 7 17 10 2|M22 11v2|M6 11v2M9 11v2M12 11v2",
    "signal": "M4 20v-3M9 20v-7M14 20V9M19 20V4",
    "bluetooth": "M7 7l10 10-5 4V3l5 4L7 17",
    "chat": "M4 4h16v12H10l-5 5v-5H4z",
    "plane": "M12 3l2 7 7 4v2l-7-2v5l2 2H8l2-2v-5l-7 2v-2l7-4z",
    "power": "M12 3v9|M7 6a8 8 0 1 0 10 0",
}


def _part(part: str) -> str:
    """One part of a drawing as an SVG element."""
    head, *figures = part.split(" ")
    if head == "C":
        return '<circle cx="{}" cy="{}" r="{}"/>'.format(*figures)
    if head == "R":
        return '<rect x="{}" y="{}" width="{}" height="{}" rx="{}"/>'.format(*figures)
    return f'<path d="{part}"/>'


def drawing(concept: str, size_px: float) -> str:
    """The inline SVG of a drawing, its strokes thicker where it is small.

    Args:
        concept: Key of `ICONS`.
        size_px: Side of the drawn square in CSS px.
    """
    parts = "".join(_part(part) for part in ICONS[concept].split("|"))
    width = 2.0 if size_px < 20 else 1.7
    return (
        f'<svg width="{size_px:g}" height="{size_px:g}" viewBox="0 0 24 24" fill="none" stroke="currentColor" '
        f'stroke-width="{width}" stroke-linecap="round" stroke-linejoin="round">{parts}</svg>'
    )


class OwnIcons:
    """The set that needs no package."""

    name = "own"
    package = ""
    concepts = tuple(ICONS)

    def at(self, assets: Path | None) -> OwnIcons:  # noqa: ARG002 -- it needs none
        """See `IconSet`."""
        return self

    def synonyms(self, concept: str) -> tuple[str, ...]:  # noqa: ARG002 -- `does` of `words` says it better
        """See `IconSet`."""
        return ()

    def draws(self, concept: str) -> bool:
        """See `IconSet`."""
        return concept in ICONS

    def svg(self, concept: str, size_px: float) -> str:
        """See `IconSet`."""
        if concept not in ICONS:
            raise ZoomgroundError(f"icons/own.py draws no '{concept}'; add a drawing")
        return drawing(concept, size_px)


ICON_SET = OwnIcons()
