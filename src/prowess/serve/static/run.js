// One run: how it stands, what it asks, what it answered, and everything that happened in it.

import { api } from "./api.js";
import { button, command, el, guarded, link, put, redraw, say, to } from "./dom.js";
import { follow, gathered } from "./live.js";
import { overhear, recall } from "./overhear.js";
import { bar, facts, place, state } from "./parts.js";
import { beneath, proof } from "./proof.js";
import { prose } from "./prose.js";
import { startRun } from "./start.js";
import { Story } from "./story.js";
import { Timeline } from "./timeline.js";
import { count, lasted, money, short, STATES, title, whole } from "./words.js";

const TURNS = new Set(["run.finished", "question.asked", "question.answered", "agent.joined"]);
const DETAILS = "prowess.details";
const NEWEST = 400; // events that are asked for first; what came before them follows

export async function run(main, { id, me, signal }) {
  const after = await api.position();
  const page = { me, signal, view: await api.run(id), story: new Story(), events: [], caught: false };
  if (signal.aborted) return;
  page.frame = frame(page);
  page.question = el("div", { "aria-live": "polite" });
  page.answer = el("div", {});
  page.proof = el("div", {});
  page.more = el("div", {});
  page.timeline = new Timeline({
    story: page.story,
    heard: page.view.kind === "attempt",
    details: me.level === "FULL" && localStorage.getItem(DETAILS) === "yes",
    fork: page.view.parent ? null : (iteration) => guarded(() => forked(page, iteration))(),
    signal,
  });
  // The board of a loop is seen at a glance, and its report is long.
  const told = page.view.kind === "loop" ? [page.proof, page.answer] : [page.answer, page.proof];
  put(main, page.frame.node, page.question, ...told,
    el("section", { class: "happened" },
      el("div", { class: "row spread" }, el("h2", {}, "What happened"), me.level === "FULL" && details(page)),
      page.timeline.earlier, page.timeline.node),
    page.more);
  stands(page);
  const again = gathered(async () => {
    page.view = await api.run(id);
    if (!signal.aborted) stands(page);
  }, 150, signal);
  const since = Math.max(0, page.view.events - NEWEST);
  follow(`/api/runs/${encodeURIComponent(id)}/events`, {
    after: since,
    signal,
    take: (events) => heard(page, events, again),
    last: (event) => event.kind === "run.finished" && event.run === id,
  });
  if (page.view.kind === "loop" && !page.view.ended) overhear(page, after, () => proven(page));
  page.since = since;
  page.known = page.view.events;
  const timer = setInterval(() => !page.view.ended && head(page), 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** The long beginning of a long run, while its end is on the page already. */
function past(page, since) {
  const before = [];
  follow(`/api/runs/${encodeURIComponent(page.view.id)}/events`, {
    after: 0,
    signal: page.signal,
    take: (events) => {
      before.push(...events.filter((event) => event.seq <= since));
      if (events.at(-1).seq < since) return;
      const { said, over } = page.story;
      page.story = Object.assign(new Story(), { said, over });
      for (const event of [...before, ...page.events]) page.story.add(event);
      page.timeline.retell(page.story);
      proven(page);
    },
    last: (event) => event.seq >= since,
  });
}

function heard(page, events, again) {
  page.events.push(...events);
  const items = events.map((event) => page.story.add(event)).filter(Boolean);
  const last = events.at(-1);
  if (page.caught) {
    if (last.seq > page.known) page.timeline.add(items);
    else page.timeline.catchUp(); // a part of the past that was late
    page.view = { ...page.view, summary: last.summary || page.view.summary, progress: Math.max(page.view.progress, last.progress ?? 0), iterations: Math.max(page.view.iterations, last.iteration ?? 0) };
    if (events.some((event) => TURNS.has(event.kind))) again();
    else head(page);
    proven(page);
    return;
  }
  // The past comes in one go: it is drawn when it is there, or when no more of it comes.
  clearTimeout(page.waiting);
  const caught = () => {
    page.caught = true;
    page.timeline.catchUp();
    proven(page);
    recall(page, () => proven(page));
    if (page.since) past(page, page.since);
    if (last.seq > page.view.events) again();
  };
  if (last.seq >= page.view.events) caught();
  else page.waiting = setTimeout(caught, 150);
}

/** What stands above and below all that happened. */
function proven(page) {
  redraw(page.proof, proof(page.story, page.view));
  redraw(page.more, beneath(page.story, page.view));
}

/** All that the view says. */
function stands(page) {
  head(page);
  question(page);
  answer(page);
  proven(page);
  if (page.told !== page.view.state && page.told) say(`The run: ${STATES[page.view.state]?.word ?? page.view.state}`);
  page.told = page.view.state;
}

/** The frame is made once, so that whoever stands on one of its buttons stays there. */
function frame({ view }) {
  const slots = { state: el("span", {}), actions: el("div", { class: "row" }), now: el("div", {}), facts: el("div", {}) };
  const node = el("div", { class: "run-head" },
    view.parent && el("p", { class: "hint" }, "Sub-agent of ", link(to("runs", view.parent), view.parent)),
    el("div", { class: "row spread" }, el("div", { class: "row" }, el("h1", {}, title(view)), slots.state), slots.actions),
    view.arguments && el("p", { class: "arguments" }, view.arguments),
    slots.now, slots.facts);
  return { node, ...slots };
}

function head(page) {
  const { view, frame: slots } = page;
  put(slots.state, state(view.state));
  if (page.acting !== view.state) put(slots.actions, actions(page));
  page.acting = view.state;
  put(slots.now, !view.ended && [bar(view.progress, "Progress"), view.state !== "waiting" && el("p", { class: "now-line" }, view.summary)]);
  put(slots.facts, facts([
    view.kind === "loop" ? ["Attempts", count(view.ended ? view.iterations : page.story.attempts())] : ["Iterations", view.max_iterations ? `${count(view.iterations)} of ${count(view.max_iterations)}` : count(view.iterations)],
    ["Time", lasted(view.started, view.ended)],
    ["Tokens", short(view.tokens)],
    ["Cost", money(view.cost)],
    ["Model", view.model],
    ["Project", place(view)],
    ["Started", whole(view.started)],
    ["Run", el("code", {}, view.id)],
  ], "inline"));
}

function actions(page) {
  const { view } = page;
  const buttons = [];
  if (["interrupted", "paused"].includes(view.state) && !view.parent) buttons.push(button("Resume", guarded(() => resumed(page)), { class: "primary" }));
  if (!view.ended && !view.parent) buttons.push(sure("Cancel", "Really cancel?", () => api.cancel(view.id)));
  if (view.ended && view.kind !== "loop" && view.kind !== "attempt") buttons.push(button("Run again", () => startRun({ me: page.me, skill: view.skill, task: view.arguments, model: view.model })));
  return buttons;
}

async function resumed(page) {
  await api.resume(page.view.id);
  page.view = await api.run(page.view.id);
  stands(page);
}

/** A button that asks once more before it does it. */
function sure(words, really, work) {
  const pressed = button(words, guarded(async () => {
    if (pressed.textContent === words) {
      pressed.textContent = really;
      say(really);
      setTimeout(() => { pressed.textContent = words; }, 4000);
      return;
    }
    await work();
  }), { class: "danger" });
  return pressed;
}

async function forked(page, iteration) {
  const { run: made } = await api.fork(page.view.id, iteration);
  location.assign(to("runs", made));
}

function question(page) {
  const asked = page.view.question;
  if (page.asked === asked?.id) return; // what was typed stays
  page.asked = asked?.id;
  if (!asked) {
    put(page.question);
    return;
  }
  const send = (words) => api.answer(page.view.id, asked.id, words);
  const input = el("textarea", { rows: 2, name: "answer", "aria-label": "Your answer", value: asked.default ?? "", required: true });
  put(page.question, el("form", { class: "card ask", on: { submit: guarded(() => send(input.value)) } },
    el("h2", {}, "It asks you"),
    prose(asked.prompt),
    asked.grants && page.me.role === "END_USER"
      ? el("p", { class: "hint" }, "To let a tool be used is for DEVELOPER; the run waits.")
      : asked.options?.length
      ? el("div", { class: "row" }, asked.options.map((option) => button(option, guarded(() => send(option)), { class: option === asked.default ? "primary" : "", data: { stop: "" } })))
      : [input, el("div", { class: "row end" }, el("button", { class: "primary" }, "Answer"))]));
}

function answer(page) {
  const { view } = page;
  if (!view.ended) {
    put(page.answer, view.state === "interrupted" && el("div", { class: "card" }, el("h2", {}, "Nobody works on it"),
      el("p", {}, "The process that did has ended. Nothing is lost: it goes on where it was, here with Resume or in a terminal:"), command(`prowess runs resume ${view.id}`)));
    return;
  }
  const why = view.state !== "done" && !holds(view.answer, view.reason) && view.reason;
  put(page.answer, el("section", { class: "card answer", data: { state: view.state } },
    el("h2", {}, view.answer ? (view.kind === "loop" ? "Report" : "Answer") : "How it ended"),
    why && el("p", { class: "reason" }, why),
    view.answer && prose(view.answer),
    !view.answer && !view.reason && el("p", {}, STATES[view.state]?.word ?? view.state)));
}

/** A loop's report says itself why it ended. */
function holds(answer, reason) {
  return answer.toLowerCase().includes(reason.toLowerCase());
}

function details(page) {
  const box = el("input", { type: "checkbox", id: "details", role: "switch", "aria-keyshortcuts": "d" });
  box.checked = page.timeline.details;
  box.addEventListener("change", () => {
    localStorage.setItem(DETAILS, box.checked ? "yes" : "no");
    page.timeline.details = box.checked;
    page.timeline.draw();
    say(box.checked ? "Full details" : "Summary");
  });
  return el("label", { class: "check" }, box, "Show full details");
}
