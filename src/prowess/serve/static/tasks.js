// A loop's tasks as a board: what is to do, who is at work and what is heard of it, what was proven and by
// what, what is blocked and why.

import { el, link, marked, to } from "./dom.js";
import { count, plural } from "./words.js";

const COLUMNS = [
  { title: "To do", holds: (task) => !task.phase && !task.done },
  { title: "At work", holds: (task) => task.phase && !task.done },
  { title: "Done", holds: (task) => task.done && task.mark !== "~" },
  { title: "Blocked", holds: (task) => task.done && task.mark === "~" },
];
const MARKS = { R: ["PASS", "proven"], x: ["", "not proven"], "~": ["FAIL", "blocked"] };
const SIGNS = { PASS: "✓", FAIL: "✕", INCONCLUSIVE: "?" };
const DRAWN = 100; // tasks of a column

const open = new Set(); // what somebody unfolded stays so when it is drawn again

export function board(story, view) {
  const held = COLUMNS.map(({ title, holds }) => ({ title, cards: story.tasks.filter(holds) }));
  return el("section", {}, el("h2", { class: "unseen" }, plural(story.tasks.length, "task")),
    el("div", { class: "board" }, held.map(({ title, cards }) => column(title, cards, story, view))));
}

function column(title, cards, story, view) {
  return el("section", { "aria-label": title }, el("h3", {}, title, el("span", { class: "hint" }, ` ${count(cards.length)}`)),
    cards.length > 0
      ? el("ul", { class: "cards" }, cards.slice(0, DRAWN).map((task) => card(task, story, view)))
      : el("p", { class: "hint" }, "none"),
    cards.length > DRAWN && el("p", { class: "hint" }, `and ${count(cards.length - DRAWN)} more`));
}

function card(task, story, view) {
  const [verdict, word] = badge(task, story, view);
  return el("li", { class: "task", data: { verdict } },
    el("p", { class: "task-name" }, marked(task.label)),
    word && el("p", { data: { verdict } }, el("span", { class: "verdict" }, word), task.attempts > 1 && el("span", { class: "hint" }, `attempt ${task.attempts}`)),
    place(task, story),
    !view.ended && !task.done && heard(task, story),
    task.criteria.length > 0 && seen(task, view),
    task.mark === "~" && task.reason && fold(`${view.id} why ${task.label}`, `Why ${task.label} is blocked`, el("pre", { class: "why" }, task.reason)),
    task.children.length > 0 && attempts(task));
}

function badge(task, story, view) {
  if (!task.done) return ["", task.phase && (view.ended ? "cut short" : story.waits(task) ? "waits for the others" : task.phase)];
  const [verdict, word] = MARKS[task.mark] ?? ["", "to do again"];
  // By whom, where nothing was proven.
  return [verdict, task.mark === "R" && /^(reviewed|already)/.test(task.reason) ? task.reason : word];
}

/** What it waits for before it is begun, and where its work is when it has ended. */
function place(task, story) {
  if (!task.done && !task.phase) {
    const open = task.after.filter((name) => !story.isDone(name));
    return open.length > 0 && el("p", { class: "hint" }, "after ", open.map((name, number) => [number > 0 && ", ", marked(name)]));
  }
  if (!task.done) return null;
  if (task.mark === "~") return task.branch && el("p", { class: "hint" }, "branch ", el("code", {}, task.branch));
  return task.commit && el("p", { class: "hint" }, "commit ", el("code", {}, task.commit.slice(0, 12)));
}

/** The newest words of the agent that is at work on it. */
function heard(task, story) {
  const lines = story.said.get(task.children.at(-1)?.id) ?? [];
  return lines.length > 0 && el("ul", { class: "heard" }, lines.map((line) => el("li", { class: "clip two" }, marked(line))));
}

function seen(task, view) {
  const cited = task.criteria.filter((each) => each.cited).length;
  const good = task.criteria.filter((each) => each.verdict === "PASS").length - cited;
  return fold(`${view.id} seen ${task.label}`, `${count(good)} of ${plural(task.criteria.length, "criterion", "criteria")} seen to hold${cited ? `, ${count(cited)} as cited` : ""}`,
    el("ul", { class: "ticks" }, task.criteria.map((each) =>
      el("li", { data: { tone: each.cited ? "fair" : ({ PASS: "good", FAIL: "bad" }[each.verdict] ?? "fair") } },
        el("span", { class: "tick", role: "img", "aria-label": each.cited ? "PASS, as cited" : each.verdict }, SIGNS[each.verdict] ?? "·"), " ", marked(each.text ?? each.summary),
        each.cited && el("span", { class: "hint" }, " as cited"),
        el("span", { class: "hint" }, " ", marked(each.reason || (each.evidence ?? []).map((one) => one.seen).join("; ")))))));
}

function attempts(task) {
  return el("p", { class: "hint" }, task.children.map(({ id, agent }, place) =>
    [place > 0 && " · ", link(to("runs", id), `${agent} ${place + 1}`, { "aria-label": `${agent}, run ${place + 1} for ${task.label}` })]));
}

function fold(key, words, ...children) {
  const toggle = (event) => (event.target.open ? open.add(key) : open.delete(key));
  return el("details", { open: open.has(key), on: { toggle } }, el("summary", { class: "hint" }, words), children);
}
