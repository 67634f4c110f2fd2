// One line of a run's story: its mark, what it says, and what is behind it.

import { el, marked } from "./dom.js";
import { json, text } from "./parts.js";
import { prose } from "./prose.js";
import { clock, count, money, seconds, short, STATES, whole } from "./words.js";

export function thought(event) {
  return el("li", { class: "thought", data: { tone: event.malformed ? "bad" : "" } },
    el("p", {}, event.thought || event.malformed),
    event.thought && event.malformed && el("p", { class: "hint" }, event.malformed));
}

export function output({ text: shown, format }) {
  return el("li", { class: "thought shown" }, format === "markdown" ? prose(shown) : shown);
}

/** A question stays when it is answered; who is told the answer sees it behind the question. */
export function words({ kind, event, end }) {
  const told = end ?? event;
  if (kind === "question") return [prose(event.prompt ?? event.summary), end && el("span", { class: "given" }, given(event, end))];
  if (told.kind === "run.finished" && told.outcome) return ending(told.outcome);
  return marked(told.summary || told.kind);
}

function given(event, { answer }) {
  if (answer === null) return "nobody answered";
  return answer ?? (event.kind === "question.asked" ? "answered" : "");
}

/** The answer itself stands above. */
function ending({ ending: name, reason }) {
  const word = STATES[name]?.word ?? name;
  return name !== "done" && reason ? `${word}: ${reason}` : word;
}

export function spent({ usage, context_tokens: context, model }) {
  if (!usage) return "";
  const told = usage.input_tokens || usage.output_tokens || usage.cost; // an agent may count nothing
  const used = told ? [`${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out`, money(usage.cost)] : [];
  return [...used, context ? `context ${short(context)}` : "", model].filter(Boolean).join(" · ");
}

// What a line says already, or what only orders it.
const SAID = new Set(["kind", "run", "seq", "at", "summary", "visibility", "progress", "iteration", "call_id", "tool", "tool_kind", "how"]);

/** What is behind a line, as a function that makes it; null where there is nothing more. */
export function behind({ kind, event, end }) {
  const parts = [];
  if (kind === "call") {
    if (event.input && Object.keys(event.input).length) parts.push(["Input", () => inputs(event.input)]);
    if (end?.healed?.length) parts.push(["Recovered", () => el("ul", {}, end.healed.map((how) => el("li", {}, how)))]);
    if (end?.text) parts.push([end.refused ? "Refused" : end.ok ? "Result" : "Failed with", () => text(end.text)]);
    if (end?.facts && Object.keys(end.facts).length) parts.push(["Facts", () => json(end.facts)]);
  } else if (kind === "question") {
    if (event.options?.length) parts.push(["Options", () => el("ul", {}, event.options.map((each) => el("li", {}, each)))]);
  } else {
    const rest = Object.entries(event).filter(([name]) => !SAID.has(name));
    if (rest.length) parts.push([event.kind, () => json(Object.fromEntries(rest))]);
  }
  if (!parts.length) return null;
  return () => parts.map(([name, make]) => el("div", {}, el("h4", {}, name), make()));
}

/** One short value reads best alone. */
function inputs(input) {
  const [only, ...more] = Object.values(input);
  return !more.length && typeof only === "string" ? text(only) : json(input);
}

const MARKS = { "run.finished": "■", "run.started": "▸", "call.recovered": "↻", "run.warned": "!", "model.waited": "…", "model.failed": "✕" };

export function tone({ kind, event, end }) {
  if (kind === "call" && end) return end.refused ? "fair" : end.ok === false ? "bad" : end.healed?.length ? "fair" : "";
  if (kind === "step" && end?.ok === false) return "bad";
  if (event.kind === "call.recovered") return "good";
  if (event.kind === "model.failed" || event.outcome?.ending === "failed") return "bad";
  if (event.kind === "check.criterion") return { PASS: "good", FAIL: "bad" }[event.verdict] ?? "fair";
  return kind === "question" && !end ? "fair" : "";
}

export function mark({ kind, event, end }) {
  let sign = MARKS[event.kind] ?? "·";
  if (kind === "call") sign = !end ? "●" : end.refused ? "⊘" : end.ok === false ? "✕" : "✓";
  if (kind === "step") sign = !end ? "●" : end.kind === "step.skipped" ? "–" : end.ok === false ? "✕" : "✓";
  if (kind === "question") sign = "?";
  if (kind === "child") sign = "↳";
  return el("span", { class: "line-mark", "aria-hidden": "true" }, sign);
}

export function took(told) {
  return told.seconds !== undefined && told.seconds >= 0.05 && el("span", { class: "hint num" }, seconds(told.seconds));
}

export function at(told) {
  return el("time", { class: "hint num", datetime: told.at, title: whole(told.at) }, clock(told.at));
}
