// A run's story as it is read: a block for each iteration, a line for each thing that happened, and
// what is behind a line only once somebody opens it. However long the run, only so much is drawn.

import { button, el, put, link, to } from "./dom.js";
import { follow } from "./live.js";
import { json, state, text } from "./parts.js";
import { milestone, Story } from "./story.js";
import { clock, count, money, plural, seconds, short, whole } from "./words.js";

const ROUNDS = 20; // iterations drawn at first, the newest
const LINES = 60; // lines of one iteration drawn at first

export class Timeline {
  /** `fork(iteration)` is offered where it is given. */
  constructor({ story, details = false, fork = null, signal }) {
    this.story = story;
    this.details = details;
    this.fork = fork;
    this.signal = signal;
    this.node = el("ol", { class: "timeline" });
    this.earlier = el("div", { class: "earlier" });
    this.drawn = new Map(); // rounds to their nodes
    this.open = new Set(); // the keys of what is open, which stays so when it is drawn again
    this.first = 0; // the first round that is drawn
  }

  /** Everything anew. */
  draw() {
    this.drawn.clear();
    this.node.replaceChildren();
    this.first = Math.min(this.first, this.story.rounds.length);
    for (const round of this.story.rounds.slice(this.first)) this._block(round);
    this._earlier();
  }

  /** Before the past is all there, only its newest part is drawn. */
  catchUp() {
    this.first = Math.max(0, this.story.rounds.length - ROUNDS);
    this.draw();
  }

  /** The same from further back: what is on the page stays, and there is more before it. */
  retell(story) {
    const shown = this.story.rounds.length - this.first;
    this.story = story;
    this.first = Math.max(0, story.rounds.length - shown);
    this.draw();
  }

  /** What is new or has changed. */
  add(items) {
    for (const item of items) {
      const block = this.drawn.get(item.round) ?? this._block(item.round, []);
      this._line(block, item);
    }
  }

  _block(round, items = round.items) {
    const list = el("ul", { class: "lines" });
    const shown = items.filter((item) => this._shows(item));
    const block = { round, list, nodes: new Map(), hidden: shown.slice(LINES), used: el("span", { class: "hint" }) };
    block.node = el("li", { class: "round" },
      round.title && el("div", { class: "round-head" }, el("h3", {}, round.title), block.used,
        this.details && this.fork && round.number > 0 && button("Fork from here", () => this.fork(round.number), { class: "quiet small" })),
      list);
    for (const item of shown.slice(0, LINES)) this._line(block, item);
    if (block.hidden.length) block.node.append(this._more(block));
    this.drawn.set(round, block);
    this.node.append(block.node);
    return block;
  }

  _more(block) {
    const more = button(`Show ${plural(block.hidden.length, "more line")}`, () => {
      const hidden = block.hidden;
      block.hidden = [];
      more.remove();
      hidden.forEach((item) => this._line(block, item));
    }, { class: "quiet small" });
    block.more = more;
    return more;
  }

  _earlier() {
    const before = this.story.rounds.slice(0, this.first);
    put(this.earlier, before.length > 0 && button(`Show ${plural(Math.min(before.length, 100), "earlier iteration")}`, () => {
      this.first = Math.max(0, this.first - 100);
      this.draw();
    }, { class: "quiet" }));
  }

  _shows(item) {
    return this.details ? item.kind !== "thought" || item.event.thought || item.event.malformed || item.event.usage : milestone(item);
  }

  _line(block, item) {
    if (!this._shows(item)) return;
    if (item.kind === "thought") block.used.textContent = spent(item.event);
    const known = block.nodes.get(item.key);
    if (!known && (block.hidden.length || block.nodes.size >= 4 * LINES)) {
      if (!block.hidden.includes(item)) block.hidden.push(item);
      if (!block.more?.isConnected) block.node.append(this._more(block));
      block.more.textContent = `Show ${plural(block.hidden.length, "more line")}`;
      return;
    }
    const node = this._drawn(item);
    if (!node) return;
    block.nodes.set(item.key, node);
    if (known) {
      const focused = known.contains(document.activeElement);
      known.replaceWith(node);
      if (focused) node.querySelector("summary, a, button")?.focus();
    } else block.list.append(node);
  }

  _drawn(item) {
    if (item.kind === "thought") return item.event.malformed || item.event.thought ? thought(item.event) : null;
    if (item.kind === "output" && item.event.text) return el("li", { class: "thought shown" }, item.event.text);
    if (item.kind === "child") return this._child(item);
    const told = item.end ?? item.event;
    const head = [mark(item), el("span", { class: "line-text" }, told.summary || told.kind), took(told), at(told)];
    const body = this.details ? behind(item) : null;
    if (!body) return el("li", { class: "line", data: { tone: tone(item) } }, head);
    return el("li", { class: "line", data: { tone: tone(item) } }, this._fold(item.key, head, body));
  }

  /** Its body is made when it is opened. */
  _fold(key, head, body) {
    const inner = el("div", { class: "behind" });
    const fold = el("details", { open: this.open.has(key) }, el("summary", { data: { stop: "" } }, head), inner);
    const fill = () => inner.childElementCount || put(inner, body());
    fold.addEventListener("toggle", () => {
      if (fold.open) {
        this.open.add(key);
        fill();
      } else this.open.delete(key);
    });
    if (fold.open) fill();
    return fold;
  }

  /** A sub-agent's own story, inside its parent's. */
  _child(item) {
    const id = item.event.child;
    const ending = item.end?.outcome?.ending;
    const head = [mark(item), el("span", { class: "line-text" }, (item.end ?? item.event).summary || "Sub-agent"), ending && state(ending), at(item.event)];
    if (!id) return el("li", { class: "line" }, head);
    return el("li", { class: "line" }, this._fold(item.key, head, () => {
      const story = new Story();
      const inner = new Timeline({ story, details: this.details, signal: this.signal });
      follow(`/api/runs/${encodeURIComponent(id)}/events`, {
        after: 0,
        signal: this.signal,
        take: (events) => inner.add(events.map((event) => story.add(event)).filter(Boolean)),
        last: (event) => event.kind === "run.finished",
      });
      return [el("p", {}, link(to("runs", id), `Open the trace of ${id}`)), inner.node];
    }));
  }
}

function thought(event) {
  return el("li", { class: "thought", data: { tone: event.malformed ? "bad" : "" } },
    el("p", {}, event.thought || event.malformed),
    event.thought && event.malformed && el("p", { class: "hint" }, event.malformed));
}

function spent({ usage, context_tokens: context, model }) {
  if (!usage) return "";
  return [`${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out`, money(usage.cost), context ? `context ${short(context)}` : "", model].filter(Boolean).join(" · ");
}

// What a line says already, or what only orders it.
const SAID = new Set(["kind", "run", "seq", "at", "summary", "visibility", "progress", "iteration", "call_id", "tool", "tool_kind", "how"]);

/** What is behind a line, as a function that makes it; null where there is nothing more. */
function behind({ kind, event, end }) {
  const parts = [];
  if (kind === "call") {
    if (event.input && Object.keys(event.input).length) parts.push(["Input", () => inputs(event.input)]);
    if (end?.healed?.length) parts.push(["Helped itself", () => el("ul", {}, end.healed.map((how) => el("li", {}, how)))]);
    if (end?.text) parts.push([end.refused ? "Refused" : end.ok ? "Result" : "Failed with", () => text(end.text)]);
    if (end?.facts && Object.keys(end.facts).length) parts.push(["Facts", () => json(end.facts)]);
  } else if (kind === "question") {
    parts.push(["Question", () => text(event.prompt ?? "")]);
    if (end?.answer) parts.push(["Answer", () => text(end.answer)]);
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

function tone({ kind, event, end }) {
  if (kind === "call" && end) return end.refused ? "fair" : end.ok === false ? "bad" : end.healed?.length ? "fair" : "";
  if (kind === "step" && end?.ok === false) return "bad";
  if (event.kind === "call.recovered") return "good";
  if (event.kind === "model.failed" || event.outcome?.ending === "failed") return "bad";
  if (event.kind === "check.criterion") return { PASS: "good", FAIL: "bad" }[event.verdict] ?? "fair";
  return kind === "question" && !end ? "fair" : "";
}

function mark({ kind, event, end }) {
  let sign = MARKS[event.kind] ?? "·";
  if (kind === "call") sign = !end ? "●" : end.refused ? "⊘" : end.ok === false ? "✕" : "✓";
  if (kind === "step") sign = !end ? "●" : end.kind === "step.skipped" ? "–" : end.ok === false ? "✕" : "✓";
  if (kind === "question") sign = "?";
  if (kind === "child") sign = "⑂";
  return el("span", { class: "line-mark", "aria-hidden": "true" }, sign);
}

function took(told) {
  return told.seconds !== undefined && told.seconds >= 0.05 && el("span", { class: "hint num" }, seconds(told.seconds));
}

function at(told) {
  return el("time", { class: "hint num", datetime: told.at, title: whole(told.at) }, clock(told.at));
}
