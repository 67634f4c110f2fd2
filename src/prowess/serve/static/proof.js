// What a run chose and why, what was proven, what it set out to do, and what it cost.

import { el, link, marked, to } from "./dom.js";
import { section, state, table } from "./parts.js";
import { board } from "./tasks.js";
import { count, plural, price, whole } from "./words.js";

/** Above all that happened. What is told of a task of a loop stands on its card. */
export function proof(story, view) {
  const criteria = story.criteria.filter((each) => !story.known(each.task));
  return [
    !view.ended && [...story.paused.values()].map(pause),
    story.tasks.length > 0 && board(story, view),
    story.selections.length > 0 && section("Chosen skills", story.selections.map(selection)),
    criteria.length > 0 && evidence(criteria, story.report),
  ];
}

/** Nothing goes on with it until then, and nobody has to do anything. */
function pause({ until, task, summary = "" }) {
  return el("p", { class: "card paused" }, el("strong", {}, until ? `Paused until ${whole(until)}` : "Paused until the usage limit resets"),
    task && [" · ", marked(task)], el("span", { class: "hint" }, " ", marked(summary.replace(/^Paused until the usage limit resets: /, ""))));
}

function evidence(criteria, report) {
  return section("Evidence", el("ul", { class: "proof" }, criteria.map(criterion)),
    report?.reasons?.length > 0 && el("ul", {}, report.reasons.map((why) => el("li", {}, why))));
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
    view.children.length > 0 && view.kind !== "loop" && section(plural(view.children.length, "sub-agent"), el("ul", {}, view.children.map((child) =>
      el("li", { class: "row" }, link(to("runs", child.id), `${child.skill} ${child.id}`), (child.ending || !view.ended) && state(child.ending || "running"))))),
    used.length > 0 && section("Cost", table("Cost of each model", [["Model"], ["Requests", "num"], ["Tokens in", "num"], ["Tokens out", "num"], ["Cost", "num"]],
      used.map(([name, each]) => [name, count(each.requests), count(each.input_tokens), count(each.output_tokens), price(each.cost, each.input_tokens + each.output_tokens)]))),
  ];
}
