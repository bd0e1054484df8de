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
  const node = { el, parent, rect, clip, own, paint: own, kids: [], owner, text: "", cut: false, hidden: style.visibility !== "visible", placed: position !== "static", lifted: style.zIndex !== "auto" };
  out.push(node);
  if (el.hasAttribute("data-zg")) node.owner = node;
  if (el instanceof SVGElement) return node;
  const inner = hides ? own : clip, innerAbs = position === "static" ? abs : inner;
  for (let child = el.firstChild; child; child = child.nextSibling) {
    if (child.nodeType === 3) node.text += child.data;
    if (child.nodeType !== 1) continue;
    const kid = zgWalk(child, node, inner, innerAbs, node.owner, out);
    if (kid) node.kids.push(kid);
    if (kid?.lifted) node.lifted = true;
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

// Subtrees beside an element's ancestors whose paint meets the box: only these can lie over it. Where both sides are
// positioned and nothing in them has a z-index, the later one lies over the earlier one (`over`); any other pair is for
// the browser to decide (`open`).
function zgRivals(node, box) {
  const over = [];
  let open = false;
  for (let at = node; at.parent; at = at.parent) {
    let later = false;
    for (const other of at.parent.kids) {
      if (other === at) later = true;
      else if (zgOverlap(other.paint, box)) {
        const ordered = at.placed && other.placed && !at.lifted && !other.lifted;
        if (!ordered) open = true;
        if (later || !ordered) over.push(other);
      }
    }
  }
  return { over, open };
}

// Hit tests round to whole px: a point less than one px beside a box may lie in it.
function zgHolds(box, x, y) {
  return x > box.left - 1 && x < box.right + 1 && y > box.top - 1 && y < box.bottom + 1;
}

// Whether all drawn things of a subtree that a point lies in pass a test.
function zgAll(node, x, y, passes) {
  if (!zgHolds(node.paint, x, y)) return true;
  if (!node.hidden && zgHolds(node.own, x, y) && !passes(node)) return false;
  for (const kid of node.kids) if (!zgAll(kid, x, y, passes)) return false;
  return true;
}

const zgGrid = [0, 1, 2, 3, 4].flatMap((i) => [0, 1, 2, 3, 4].map((j) => [(i + 0.5) / 5, (j + 0.5) / 5]));
// A strip along an edge may be covered without any point of the grid.
const zgEdges = [0.02, 0.5, 0.98].flatMap((u) => [0.02, 0.5, 0.98].map((v) => [u, v]));
const zgPlaces = [...zgGrid, ...zgEdges];
const zgProbes = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9], [0.1, 0.5], [0.9, 0.5]];

function zgPoint(box, [u, v]) {
  return [box.left + (box.right - box.left) * u, box.top + (box.bottom - box.top) * v];
}

// Share of a 5 x 5 grid on which nothing lies over the element, whether its centre is its own, and whether it can be seen
// at all. A hit test walks the whole page, so the browser is asked only where paint order is not plain from the tree, or
// where all points are wanted. A thing under a veil (the dark sheet behind a dialog) cannot be clicked, but can be read,
// and so be meant: it is seen.
function zgHits(node, box, full) {
  const { over, open } = zgRivals(node, box);
  const middle = zgPoint(box, [0.5, 0.5]);
  if (!full && !over.length) return [1, !zgHoldsAt(node, ...middle), true];
  if (full || open) return zgAsked(node, box);
  const under = (at, passes) => over.every((one) => zgAll(one, ...zgPoint(box, at), passes));
  const bare = (at) => under(at, () => false);
  const clear = zgPlaces.filter(bare).length / zgPlaces.length;
  const centre = bare([0.5, 0.5]) && !zgHoldsAt(node, ...middle);
  const seen = clear > 0 || zgProbes.some((at) => under(at, (one) => (one.veil ??= zgVeils(one.el))));
  return [clear, centre, seen];
}

// The same by the browser's own hit tests.
function zgAsked(node, box) {
  const el = node.el, at = (place) => document.elementFromPoint(...zgPoint(box, place));
  const clear = zgGrid.filter((place) => ((hit) => hit === null || el.contains(hit) || hit.contains(el))(at(place))).length / 25;
  const middle = at([0.5, 0.5]);
  return [clear, middle !== null && middle.closest("[data-zg]") === el, clear > 0 || zgBehindVeil(el, box)];
}

// Whether an element inside another one covers a point of it.
function zgHoldsAt(node, x, y) {
  return node.kids.some((kid) => (kid.owner === kid && !kid.hidden && x >= kid.own.left && x < kid.own.right && y >= kid.own.top && y < kid.own.bottom) || zgHoldsAt(kid, x, y));
}

function zgBehindVeil(el, box) {
  return zgProbes.some((place) => {
    const stack = document.elementsFromPoint(...zgPoint(box, place));
    const depth = stack.findIndex((one) => el.contains(one));
    return depth >= 0 && stack.slice(0, depth).every(zgVeils);
  });
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
let zgShown = [];
let zgNamed = true; // whether roles and names are computed, for which the browser keeps a tree up to date

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
  zgShown = nodes.filter(zgReadable);
  zgTexts = { readable: zgShown.map((node) => node.text), all: nodes.filter((node) => node.text).map((node) => node.text) };
  return out;
}

// Words of the last measuring that can be read whole and are not an element's own: index of the element that they lie
// in (-1: none), the words, their box in device px. What stands in pictures is part of the drawing.
function zgWords() {
  const scale = devicePixelRatio, range = document.createRange(), found = [];
  for (const node of zgShown) {
    if (node.owner === node || node.el.matches("input,select,textarea") || node.el.closest(".zg-pic,svg,option")) continue;
    range.selectNodeContents(node.el);
    const box = zgMeet(range.getBoundingClientRect(), node.own);
    if (zgArea(box) > 0) found.push([node.owner ? Number(node.owner.el.dataset.zg) : -1, node.text, box.left * scale, box.top * scale, box.right * scale, box.bottom * scale]);
  }
  return found;
}

// Every word of the last measuring that can be read whole, an element's own or not, with the box of its letters in device
// px. What is typed into a field has no box of its own.
function zgLetters() {
  const scale = devicePixelRatio, range = document.createRange(), found = [];
  for (const node of zgShown) {
    if (node.el.matches("input,select,textarea") || node.el.closest(".zg-pic,svg,option")) continue;
    for (let child = node.el.firstChild; child; child = child.nextSibling) {
      if (child.nodeType !== 3) continue;
      for (const word of child.data.matchAll(/\S+/g)) {
        range.setStart(child, word.index);
        range.setEnd(child, word.index + word[0].length);
        const box = zgMeet(range.getBoundingClientRect(), node.own);
        if (zgArea(box) > 0) found.push([word[0], ...[box.left, box.top, box.right, box.bottom].map((edge) => Math.round(edge * scale * 10) / 10)]);
      }
    }
  }
  return found;
}

// Whether the browser's own hit tests reach elements of the last measuring: the middle and points near the corners, and
// all points of the grid where anything else paints in the box.
function zgTest(indices) {
  const few = [[0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]];
  return indices.map((index) => {
    const node = zgNodes.get(index), box = zgMeet(node.rect, node.clip), el = node.el, { over, open } = zgRivals(node, box);
    const at = (place) => document.elementFromPoint(...zgPoint(box, place));
    if (at([0.5, 0.5])?.closest("[data-zg]") !== el) return false;
    const places = over.length || open ? zgGrid : few;
    const clear = places.filter((place) => ((hit) => hit === null || el.contains(hit) || hit.contains(el))(at(place))).length;
    return clear >= 0.95 * places.length;
  });
}

function zgOne(node, texts, scale, full) {
  const el = node.el, box = zgMeet(node.rect, node.clip), area = zgArea(node.rect), shown = zgArea(box);
  const inner = el.matches("label,span") ? el.querySelector("input,select,textarea") ?? el : el;
  const name = zgNamed ? inner.computedName : (inner.ariaLabel ?? inner.textContent), role = zgNamed ? inner.computedRole : "";
  const [clear, centre, seen] = shown > 0 && !node.hidden ? zgHits(node, box, full) : [0, false, false];
  const cut = texts.some((one) => one.cut && (name.includes(one.text) || one.text.includes(name) || one.el === inner));
  const disabled = inner.disabled === true || inner.ariaDisabled === "true";
  const drawn = texts.every((one) => zgDrawsAll(one.text, one.el));
  return [Number(el.dataset.zg), box.left * scale, box.top * scale, box.right * scale, box.bottom * scale, area > 0 ? shown / area : 0, role, name, clear, centre, seen, cut, disabled, drawn];
}

function zgReadable(node) {
  if (!node.text || node.cut || node.hidden || zgArea(node.rect) <= 0 || zgArea(zgMeet(node.rect, node.clip)) < 0.9 * zgArea(node.rect)) return false;
  const box = zgMeet(node.rect, node.clip);
  return zgHits(node, box, false)[0] > 0.9;
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
