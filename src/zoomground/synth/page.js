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
