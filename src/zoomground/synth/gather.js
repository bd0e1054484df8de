// Runs inside a person's own page, after page.js: finds what can be pointed at, and what lies around it.
"use strict";

const zgRoles = new Set(["button", "link", "checkbox", "radio", "switch", "textbox", "searchbox", "combobox", "spinbutton", "slider", "tab", "menuitem", "treeitem", "option"]);
const zgGroups = { dialog: "dialog", alertdialog: "dialog", toolbar: "toolbar", navigation: "sidebar", complementary: "sidebar", region: "panel", group: "panel", form: "form", article: "card", row: "row", listitem: "row", menu: "menu", menubar: "menubar", tablist: "tablist", tree: "tree", grid: "table", table: "table" };
const zgHeadings = "h1,h2,h3,h4,h5,h6,legend,caption,summary,figcaption";

// Pictures that move, carets that blink and transitions that are under way would make two drawings differ.
function zgFreeze() {
  const still = new CSSStyleSheet();
  still.replaceSync("*,*::before,*::after{animation:none!important;transition:none!important;caret-color:transparent!important;scroll-behavior:auto!important}");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  document.activeElement?.blur?.();
}

// What a box is about: its own name, else the heading in it, else the first words of a row.
function zgTitle(el, part) {
  const named = el.getAttribute("aria-label") ?? (el.hasAttribute("aria-labelledby") ? el.computedName : "");
  if (named) return named.trim();
  if (part === "row") return (el.querySelector("th,td,[role=rowheader],[role=gridcell],strong,b,a") ?? el).innerText?.split("\n")[0].trim() ?? "";
  return el.querySelector(zgHeadings)?.innerText?.trim() ?? "";
}

function zgShownText(el) {
  if (el instanceof HTMLInputElement) return ["button", "submit", "reset"].includes(el.type) ? el.value : "";
  if (el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement) return "";
  return (el.innerText ?? "").replace(/\s+/g, " ").trim();
}

// [role, name, shown text, value, checked, selected, disabled, drawn inside, groups, parent] of each, in document order;
// groups are [part, name, number], outermost first.
function zgGather() {
  const found = [];
  let boxes = 0;
  const visit = (el, groups, parent) => {
    if (getComputedStyle(el).display === "none") return;
    const role = el.computedRole, name = el.computedName;
    const part = zgGroups[role];
    if (part) {
      boxes++;
      const title = zgTitle(el, part);
      if (title && title.length <= 60) groups = [...groups, [part, title, boxes]];
    }
    if (zgRoles.has(role)) {
      el.dataset.zg = found.length;
      const text = zgShownText(el), value = "value" in el && !el.matches("button,li,input[type=checkbox],input[type=radio]") ? String(el.value) : "";
      found.push([role, name, text, el instanceof HTMLSelectElement ? (el.selectedOptions[0]?.textContent ?? "").trim() : value,
        el.checked === true || el.ariaChecked === "true", el.ariaSelected === "true", el.disabled === true || el.ariaDisabled === "true",
        Boolean(text) || el.querySelector("svg,img,canvas,i") !== null, groups, parent]);
      parent = found.length - 1;
    } else delete el.dataset.zg;
    for (const child of el.children) visit(child, groups, parent);
  };
  visit(document.body, [], null);
  return { language: document.documentElement.lang, found };
}
