"""How well texts and icons stand out from what lies behind them, by the browser's computed colours (WCAG's ratio)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

_RATIOS = r"""() => {
  const pad = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    pad.clearRect(0, 0, 1, 1);
    pad.fillStyle = "#000";
    pad.fillStyle = text;
    pad.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pad.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((at) => top[at] * top[3] + under[at] * (1 - top[3])).concat(1);
  const bright = (colour) => {
    const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [bright(one), bright(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  // Each colour that may lie behind: a gradient lays its stops over what is below it.
  const behind = (el) => {
    const above = el.parentElement ? behind(el.parentElement) : [[255, 255, 255, 1]];
    const style = getComputedStyle(el);
    const plain = above.map((one) => over(rgba(style.backgroundColor), one));
    if (!style.backgroundImage.includes("gradient")) return plain;
    const stops = style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
    return stops.flatMap((stop) => plain.map((one) => over(rgba(stop), one)));
  };
  const fades = (el) => (el ? Number(getComputedStyle(el).opacity) * fades(el.parentElement) : 1);
  const found = [];
  const note = (el, colour, text) => {
    const [r, g, b, a] = rgba(colour), faded = fades(el);
    const ratios = behind(el).map((ground) => ratio(over([r, g, b, a * faded], ground), ground));
    const off = el.closest(":disabled,[aria-disabled=true]") !== null;
    found.push({ text, ratio: Math.min(...ratios), tinted: el.style.color !== "", off });
  };
  for (const el of document.querySelectorAll("#zg-root *")) {
    const own = [...el.childNodes].filter((one) => one.nodeType === 3 && one.data.trim()).map((one) => one.data.trim());
    if (own.length && !el.closest("svg,.zg-pic")) note(el, getComputedStyle(el).color, own.join(" "));
    const colour = getComputedStyle(el).color, named = el.closest("[data-zg]")?.ariaLabel ?? el.parentElement.innerText;
    if (el.matches(".zg-icon")) note(el, colour, `icon of ${named}`);
    const written = el.matches("input:not([type=checkbox],[type=radio],[type=range]),select");
    if (written && el.value) note(el, colour, el.value);
    if (el.matches("input") && el.placeholder) note(el, getComputedStyle(el, "::placeholder").color, el.placeholder);
  }
  return found;
}"""


def ratios(browser: Browser) -> list[dict[str, Any]]:
    """Of every text and icon of the page: ``text``, ``ratio`` to its ground, whether it is ``off`` or ``tinted``."""
    found: list[dict[str, Any]] = browser.page.evaluate(_RATIOS)
    return found
