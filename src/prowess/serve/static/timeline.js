// A run's story as it is read: a block for each iteration, a line for each thing that happened, and
// what is behind a line only once somebody opens it. However long the run, only so much is drawn.

import { button, el, put, link, to } from "./dom.js";
import { at, behind, mark, output, spent, thought, tone, took, words } from "./line.js";
import { follow } from "./live.js";
import { state } from "./parts.js";
import { milestone, Story } from "./story.js";
import { plural } from "./words.js";

const ROUNDS = 20; // iterations drawn at first, the newest
const LINES = 60; // lines of one iteration drawn at first

export class Timeline {
  /** `fork(iteration)` is offered where it is given. `heard`: a summary has what was said and called, in a line each. */
  constructor({ story, details = false, heard = false, fork = null, signal }) {
    this.story = story;
    this.details = details;
    this.heard = heard;
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
    if (this.details) return item.kind !== "thought" || item.event.thought || item.event.malformed || item.event.usage;
    return milestone(item) || (this.heard && (item.kind === "call" || this._isSaid(item)));
  }

  _isSaid({ kind, event }) {
    return kind === "thought" && Boolean(event.thought || event.malformed);
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
    if (item.kind === "thought" && (this.details || !this.heard)) return this._isSaid(item) ? thought(item.event) : null;
    if (item.kind === "output" && item.event.text) return output(item.event);
    if (item.kind === "child") return this._child(item);
    const told = item.end ?? item.event;
    const head = [mark(item), el("span", { class: "line-text" }, words(item)), took(told), at(told)];
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
    const { outcome, end } = item.end ?? {};
    // That an agent of a loop ended well says nothing of its task.
    const ending = outcome?.ending ?? ((end?.trouble ?? "none") !== "none" && "failed");
    const head = [mark(item), el("span", { class: "line-text" }, (item.end ?? item.event).summary || "Sub-agent"), ending && state(ending), at(item.end ?? item.event)];
    if (!id) return el("li", { class: "line" }, head);
    return el("li", { class: "line" }, this._fold(item.key, head, () => {
      const story = new Story();
      const inner = new Timeline({ story, details: this.details, heard: Boolean(item.event.task), signal: this.signal });
      follow(`/api/runs/${encodeURIComponent(id)}/events`, {
        after: 0,
        signal: this.signal,
        take: (events) => inner.add(events.map((event) => story.add(event)).filter(Boolean)),
        last: (event) => event.kind === "run.finished" || event.kind === "attempt.finished",
      });
      return [el("p", {}, link(to("runs", id), `Open the trace of ${id}`)), inner.node];
    }));
  }
}
