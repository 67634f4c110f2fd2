// What a run chose and why, what was proven, what it set out to do, and what it cost.

import { el, link, marked, to } from "./dom.js";
import { section, state, table } from "./parts.js";
import { prose } from "./prose.js";
import { count, money, plural } from "./words.js";

const MARKS = { R: "proven", x: "not proven", "~": "blocked", " ": "" };

const open = new Set(); // what somebody unfolded stays so when it is drawn again

/** Above all that happened. What the report of a loop says as well is folded once there is one. */
export function proof({ tasks, selections, criteria, report }, view) {
  return [
    tasks.length > 0 && section(plural(tasks.length, "task"), el("ul", { class: "proof" }, tasks.map((each) => task(each, view)))),
    selections.length > 0 && section("Chosen skills", selections.map(selection)),
    criteria.length > 0 && evidence(criteria, report, view),
  ];
}

function evidence(criteria, report, view) {
  const told = [el("ul", { class: "proof" }, criteria.map(criterion)),
    report?.reasons?.length > 0 && el("ul", {}, report.reasons.map((why) => el("li", {}, why)))];
  if (view.kind !== "loop" || !view.ended) return section("Evidence", told);
  return section("Evidence", fold(view, `Show what was seen of ${plural(criteria.length, "criterion", "criteria")}`, told));
}

function fold(view, words, ...children) {
  const key = `${view.id} ${words}`;
  const toggle = (event) => (event.target.open ? open.add(key) : open.delete(key));
  return el("details", { open: open.has(key), on: { toggle } }, el("summary", { class: "hint" }, words), children);
}

function task({ label, phase, mark, attempts, reason }, view) {
  const verdict = { R: "PASS", "~": "FAIL" }[mark] ?? "";
  const word = mark === "R" && reason?.startsWith("reviewed") ? reason : MARKS[mark]; // by whom, where nothing was proven
  return el("li", { data: { verdict } }, el("span", { class: "verdict" }, word || phase || "waiting"), label,
    attempts > 1 && el("span", { class: "hint" }, ` attempt ${attempts}`),
    mark === "~" && reason && fold(view, `Why ${label} is blocked`, prose(reason)));
}

function selection({ task_label: label, summary, skills = [], errors = [] }) {
  return el("div", { class: "card" }, el("p", {}, label ?? summary ?? ""),
    skills.length
      ? el("ul", {}, skills.map((each) => el("li", {}, link(to("skills", each.name), each.name), el("span", { class: "hint" }, ` ${each.reason}`))))
      : el("p", { class: "hint" }, "No skill fits this task, so none was chosen."),
    errors.map((error) => el("p", { class: "wrong" }, error)));
}

function criterion({ verdict = "", text, summary, reason, evidence = [] }) {
  return el("li", { data: { verdict } }, el("span", { class: "verdict" }, verdict), marked(text ?? summary),
    reason && el("p", { class: "hint" }, reason),
    evidence.length > 0 && el("ul", {}, evidence.map((each) =>
      el("li", {}, el("code", {}, each.evidence.location || each.evidence.type), ` ${each.state}: ${each.seen}`))));
}

/** Below all that happened. */
export function beneath(story, view) {
  const told = story.outcome?.details ?? {};
  const used = Object.entries(told.models ?? Object.fromEntries(story.usage));
  return [
    told.objectives?.length > 0 && section("What it set out to do", el("ul", { class: "ticks" }, told.objectives.map((each) =>
      el("li", {}, `${each.done ? "✓" : "○"} ${each.text}`)))),
    view.children.length > 0 && section(plural(view.children.length, "sub-agent"), el("ul", {}, view.children.map((child) =>
      el("li", { class: "row" }, link(to("runs", child.id), `${child.skill} ${child.id}`), (child.ending || !view.ended) && state(child.ending || "running"))))),
    used.length > 0 && section("Cost", table("Cost of each model", [["Model"], ["Requests", "num"], ["Tokens in", "num"], ["Tokens out", "num"], ["Cost", "num"]],
      used.map(([name, each]) => [name, count(each.requests), count(each.input_tokens), count(each.output_tokens), money(each.cost)]))),
  ];
}
