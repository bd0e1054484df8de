// Runs inside the page: swaps screens in, and measures what the browser made of them.
"use strict";
const zgSheets = new Map();

function zgKnows(skin) {
  return zgSheets.has(skin);
}

// Constructed sheets are parsed once and shared by all screens of a skin.
function zgLearn(skin, css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  zgSheets.set(skin, sheet);
}

function zgShow({ skin, html, language, attributes, font, px }) {
  const root = document.documentElement;
  for (const name of root.getAttributeNames()) root.removeAttribute(name);
  root.lang = language;
  for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
  root.style.setProperty("--zg-font", font);
  root.style.setProperty("--zg-px", `${px}px`);
  root.style.fontSize = `${px}px`;
  document.adoptedStyleSheets = [zgSheets.get(skin)];
  document.body.innerHTML = `<div id="zg-root">${html}</div>`;
}

// ---- measuring ----
const zgTranslucent = 0.9;
const zgGlyphs = new Map();

function zgMeet(a, b) {
  const left = Math.max(a.left, b.left), top = Math.max(a.top, b.top);
  return { left, top, right: Math.max(left, Math.min(a.right, b.right)), bottom: Math.max(top, Math.min(a.bottom, b.bottom)) };
}

function zgArea(r) {
  return (r.right - r.left) * (r.bottom - r.top);
}

// More than half a px on both axes: boxes that only touch do not lie over each other.
function zgOverlap(a, b) {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
}

function zgInside(inner, outer) {
  return inner.left >= outer.left - 0.5 && inner.top >= outer.top - 0.5 && inner.right <= outer.right + 0.5 && inner.bottom <= outer.bottom + 0.5;
}

// Every drawn element with its clip and the area that its subtree paints. A box with hidden overflow clips what flows
// in it, and absolutely placed things only if it is their containing block or lies in one.
function zgWalk(el, parent, flow, abs, owner, out) {
  const style = getComputedStyle(el), position = style.position;
  if (style.display === "none") return null;
  const rect = el.getBoundingClientRect(), hides = style.overflowX !== "visible";
  const clip = position === "static" || position === "relative" ? flow : position === "fixed" ? zgScreen() : abs;
  const own = zgMeet(rect, clip);
  const node = { el, parent, rect, clip, own, paint: own, kids: [], owner, text: "", cut: false, hidden: style.visibility !== "visible" };
  out.push(node);
  if (el.hasAttribute("data-zg")) node.owner = node;
  if (el instanceof SVGElement) return node;
  const inner = hides ? own : clip, innerAbs = position === "static" ? abs : inner;
  for (let child = el.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === 3) node.text += child.data;
    if (child.nodeType !== 1) continue;
    const kid = zgWalk(child, node, inner, innerAbs, node.owner, out);
    if (kid) node.kids.push(kid);
  }
  zgReadText(node, hides);
  for (const kid of node.kids) if (zgArea(kid.paint) > 0) node.paint = zgJoin(node.paint, kid.paint);
  return node;
}

function zgJoin(a, b) {
  if (zgArea(a) <= 0) return b;
  if (zgInside(b, a)) return a;
  return { left: Math.min(a.left, b.left), top: Math.min(a.top, b.top), right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom) };
}

function zgScreen() {
  return { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
}

function zgReadText(node, hides) {
  const el = node.el, field = el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement;
  if (field) node.text = el.value || el.placeholder || "";
  else if (el instanceof HTMLSelectElement) node.text = el.selectedOptions[0]?.textContent ?? "";
  node.text = node.text.trim();
  if (!node.text) return;
  const width = el.scrollWidth;
  if (width <= el.clientWidth + 1) return;
  if (hides || field) node.cut = true;
  else node.paint = zgMeet({ left: node.rect.left, top: node.rect.top, right: node.rect.left + width, bottom: node.rect.bottom }, node.clip);
}

// Subtrees beside an element's ancestors whose paint meets the box: only these can lie over it.
function zgRivals(node, box) {
  const rivals = [];
  for (let at = node; at.parent; at = at.parent) {
    for (const other of at.parent.kids) if (other !== at && zgOverlap(other.paint, box)) rivals.push(other);
  }
  return rivals;
}

// Share of a 5 x 5 grid on which nothing lies over the element, and whether its centre is its own. A hit test walks the
// whole page, so unless all points are asked for, where nothing else paints in the box no point is tested, and a box that
// lies wholly in another's is covered if its centre is.
function zgHits(node, box, full) {
  const el = node.el, rivals = full ? null : zgRivals(node, box);
  if (rivals && !rivals.length) return [1, !zgHoldsAt(node, (box.left + box.right) / 2, (box.top + box.bottom) / 2)];
  const at = (i, j) => document.elementFromPoint(box.left + (box.right - box.left) * (i + 0.5) / 5, box.top + (box.bottom - box.top) * (j + 0.5) / 5);
  const clear = (hit) => hit === null || el.contains(hit) || hit.contains(el);
  const middle = at(2, 2), centre = middle !== null && middle.closest("[data-zg]") === el;
  if (rivals && !clear(middle) && rivals.some((one) => one.el.contains(middle) && zgInside(box, one.own) && !one.hidden)) return [0, false];
  let count = 0;
  for (let i = 0; i < 5; i++) for (let j = 0; j < 5; j++) if (clear(i === 2 && j === 2 ? middle : at(i, j))) count++;
  return [count / 25, centre];
}

// Whether an element inside another one covers a point of it.
function zgHoldsAt(node, x, y) {
  return node.kids.some((kid) => (kid.owner === kid && !kid.hidden && x >= kid.own.left && x < kid.own.right && y >= kid.own.top && y < kid.own.bottom) || zgHoldsAt(kid, x, y));
}

// A thing under a veil (the dark sheet behind a dialog) cannot be clicked, but can be read, and so be meant.
function zgBehindVeil(el, box) {
  for (const [u, v] of [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9], [0.1, 0.5], [0.9, 0.5]]) {
    const stack = document.elementsFromPoint(box.left + (box.right - box.left) * u, box.top + (box.bottom - box.top) * v);
    const depth = stack.findIndex((one) => el.contains(one));
    if (depth >= 0 && stack.slice(0, depth).every(zgVeils)) return true;
  }
  return false;
}

function zgVeils(el) {
  const style = getComputedStyle(el), colour = style.backgroundColor.match(/[\d.]+/g) ?? [];
  const alpha = colour.length > 3 ? Number(colour[3]) : colour.length ? 1 : 0;
  return alpha < zgTranslucent && style.backgroundImage === "none" && !el.matches("img,canvas,svg,svg *,input,select,textarea,video");
}

// Whether fonts draw every character: one that none knows looks like a code point that is assigned to nothing.
function zgDrawsAll(text, el) {
  if (/^[\x20-\x7e]*$/.test(text)) return true;
  const family = getComputedStyle(el).fontFamily;
  let known = zgGlyphs.get(family);
  if (!known) zgGlyphs.set(family, (known = { missing: zgGlyph("\u0378", family), drawn: new Map() }));
  for (const char of text) {
    if (char < "\u007f") continue;
    if (!known.drawn.has(char)) known.drawn.set(char, zgGlyph(char, family) !== known.missing);
    if (!known.drawn.get(char)) return false;
  }
  return true;
}

let zgPad = null;
function zgGlyph(char, family) {
  zgPad ??= Object.assign(document.createElement("canvas"), { width: 24, height: 24 }).getContext("2d", { willReadFrequently: true });
  zgPad.clearRect(0, 0, 24, 24);
  zgPad.font = `16px ${family}`;
  zgPad.fillText(char, 2, 18);
  return zgPad.getImageData(0, 0, 24, 24).data.join();
}

// Whether some installed font draws all of these letters: what none draws looks like a character that no font has.
function zgWrites(letters, family) {
  const missing = zgGlyph("\u0378", family);
  return [...letters].every((char) => zgGlyph(char, family) !== missing);
}

let zgNodes = new Map();
let zgTexts = { readable: [], all: [] };

// One array for each [data-zg]: index, box in device px, visible share, role, name, clear share, centre, seen, cut,
// disabled, whether all glyphs are drawn.
function zgMeasure(full) {
  const nodes = [], screen = zgScreen(), scale = devicePixelRatio, out = [];
  zgWalk(document.body, null, screen, screen, null, nodes);
  const texts = new Map();
  for (const node of nodes) {
    if (node.text && node.owner) (texts.get(node.owner) ?? texts.set(node.owner, []).get(node.owner)).push(node);
  }
  zgNodes = new Map();
  for (const node of nodes) {
    if (node.owner !== node) continue;
    out.push(zgOne(node, texts.get(node) ?? [], scale, full));
    zgNodes.set(out[out.length - 1][0], node);
  }
  zgTexts = { readable: nodes.filter(zgReadable).map((node) => node.text), all: nodes.filter((node) => node.text).map((node) => node.text) };
  return out;
}

// All 25 points of some elements, as of the last measuring: [clear share, centre] each.
function zgTest(indices) {
  return indices.map((index) => {
    const node = zgNodes.get(index);
    return zgHits(node, zgMeet(node.rect, node.clip), true);
  });
}

function zgOne(node, texts, scale, full) {
  const el = node.el, box = zgMeet(node.rect, node.clip), area = zgArea(node.rect), shown = zgArea(box);
  const inner = el.matches("label,span") ? el.querySelector("input,select,textarea") ?? el : el;
  const name = inner.computedName, role = inner.computedRole;
  const [clear, centre] = shown > 0 && !node.hidden ? zgHits(node, box, full) : [0, false];
  const seen = clear > 0 || (shown > 0 && !node.hidden && zgBehindVeil(el, box));
  const cut = texts.some((one) => one.cut && (name.includes(one.text) || one.text.includes(name) || one.el === inner));
  const disabled = inner.disabled === true || inner.ariaDisabled === "true";
  const drawn = texts.every((one) => zgDrawsAll(one.text, one.el));
  return [Number(el.dataset.zg), box.left * scale, box.top * scale, box.right * scale, box.bottom * scale, area > 0 ? shown / area : 0, role, name, clear, centre, seen, cut, disabled, drawn];
}

function zgReadable(node) {
  if (!node.text || node.cut || node.hidden || zgArea(node.rect) <= 0 || zgArea(zgMeet(node.rect, node.clip)) < 0.9 * zgArea(node.rect)) return false;
  const box = zgMeet(node.rect, node.clip);
  return !zgRivals(node, box).length || zgHits(node, box, false)[0] > 0.9;
}

// ---- a real click ----
let zgReached = null;

// The first element that the click meets counts; nothing may come of it (a popup, a changed check box).
function zgListen() {
  for (const kind of ["mousedown", "mouseup", "click"]) {
    window.addEventListener(kind, (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (kind === "click" && zgReached === null) zgReached = Number(event.target.closest("[data-zg]")?.dataset.zg ?? -1);
    }, { capture: true });
  }
}

function zgClicked() {
  const reached = zgReached;
  zgReached = null;
  return reached;
}
