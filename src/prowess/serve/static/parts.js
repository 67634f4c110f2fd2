// Parts that several pages have: a state, a bar, a table, a few numbers in a row.

import { el } from "./dom.js";
import { folder, STATES } from "./words.js";

export function state(name) {
  const { mark, word } = STATES[name] ?? { mark: "·", word: name };
  return el("span", { class: "state", data: { state: name } }, el("span", { class: "state-mark", "aria-hidden": "true" }, mark), word);
}

export function bar(percent, label) {
  const inner = el("span", { class: "bar-fill" });
  inner.style.width = `${Math.max(0, Math.min(100, percent ?? 0))}%`;
  return el("span", { class: "bar", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": percent ?? 0, "aria-label": label }, inner);
}

/** Columns are `[name, class]`; on a phone each row becomes a card that names its values. */
export function table(caption, columns, rows) {
  return el("table", {},
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, columns.map(([name, kind = ""]) => el("th", { scope: "col", class: kind }, name)))),
    el("tbody", {}, rows.map((cells) => row(columns, cells))));
}

export function row(columns, cells) {
  return el("tr", {}, cells.map((cell, place) => {
    const [name, kind = ""] = columns[place];
    return el("td", { class: kind, data: { label: name } }, cell);
  }));
}

/** `facts` are `[name, value]`; a value that is empty is left out. */
export function facts(pairs, kind = "") {
  const told = pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return el("dl", { class: `facts ${kind}` }, told.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** Where a run works, where runs of several projects stand together. */
export function place(run) {
  return run.project && el("span", { title: run.project }, folder(run.project));
}

export function section(title, ...children) {
  const heading = el("h2", {}, title);
  return el("section", {}, heading, children);
}

/** Text as it came, in its own lines; what is long is cut until somebody asks for it. */
export function text(value, most = 8000) {
  const shown = el("pre", { tabindex: value.length > 400 ? 0 : null }, value.slice(0, most));
  if (value.length <= most) return shown;
  const more = el("button", { type: "button", class: "quiet small" }, `Show all ${value.length.toLocaleString("en")} characters`);
  more.addEventListener("click", () => {
    shown.textContent = value;
    more.remove();
  });
  return el("div", {}, shown, more);
}

export function json(value) {
  return text(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
