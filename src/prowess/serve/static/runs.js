// The runs, newest first, as they go on. A page of them at a time, however many there are.

import { api } from "./api.js";
import { button, command, el, empty, link, marked, put, to } from "./dom.js";
import { follow, gathered } from "./live.js";
import { bar, place, row, state, table } from "./parts.js";
import { startRun } from "./start.js";
import { ago, apart, count, lasted, money, title, whole } from "./words.js";

const PAGE = 50;
const COLUMNS = [["Skill"], ["Project", "plain"], ["State", "plain"], ["Last", "wide"], ["Progress", "plain"], ["Iterations", "num"], ["Cost", "num"], ["Time", "num"], ["Started", "num"]];
const TURNS = new Set(["run.started", "run.finished", "question.asked", "question.answered"]);

export async function runs(main, { me, signal }) {
  const list = { me, signal, before: [], rows: new Map(), stale: new Set() };
  list.place = el("div", {});
  put(main, el("div", { class: "row spread" }, el("h1", {}, "Runs"), el("span", { class: "hint" }, "newest first, live")), list.place);
  await turn(list);
  const again = gathered(() => refresh(list), 300, signal);
  follow("/api/events", { after: list.position, signal, take: (events) => {
    events.forEach((event) => heard(list, event));
    if (list.stale.size) again();
  } });
}

/** Draw the page that `before` leads to. */
async function turn(list) {
  const page = await api.runs({ limit: PAGE, before: list.before.at(-1) });
  if (list.signal.aborted) return;
  list.position ??= page.position;
  list.rows.clear();
  list.apart = apart(page.runs);
  if (!page.runs.length && !list.before.length) {
    put(list.place, first(list.me));
    return;
  }
  const drawn = table("Runs", columns(list), []);
  list.body = drawn.querySelector("tbody");
  page.runs.forEach((run) => list.body.append(kept(list, run)));
  const newer = button("Newer", () => { list.before.pop(); turn(list); }, { disabled: !list.before.length });
  const older = button("Older", () => { list.before.push(page.next); turn(list); }, { disabled: !page.next });
  put(list.place, drawn, el("nav", { class: "row pages", "aria-label": "Pages of runs" }, newer, el("span", { class: "hint" }, `page ${list.before.length + 1}`), older));
}

function kept(list, run) {
  const node = line(list, run);
  list.rows.set(run.id, { run, node });
  return node;
}

function columns(list) {
  return COLUMNS.filter(([name]) => name !== "Project" || list.apart);
}

function line(list, run) {
  const node = row(columns(list), [
    link(to("runs", run.id), title(run), { data: { stop: "" } }),
    ...(list.apart ? [place(run)] : []),
    state(run.state),
    el("span", { class: "clip" }, marked((run.state === "waiting" && run.question?.prompt) || run.summary)),
    run.ended ? null : bar(run.progress, `Progress of ${title(run)}`),
    run.max_iterations ? `${count(run.iterations)} / ${count(run.max_iterations)}` : count(run.iterations),
    money(run.cost),
    lasted(run.started, run.ended),
    el("time", { datetime: run.started, title: whole(run.started) }, ago(run.started)),
  ]);
  if (run.parent) node.classList.add("child");
  return node;
}

/** Small news are drawn at once; a turn of events is asked for. */
function heard(list, event) {
  const known = list.rows.get(event.run);
  if (TURNS.has(event.kind)) list.stale.add(event.run);
  else if (known && event.summary) {
    known.run = { ...known.run, summary: event.summary, progress: Math.max(known.run.progress, event.progress ?? 0), iterations: Math.max(known.run.iterations, event.iteration ?? 0) };
    replaced(list, known);
  }
}

async function refresh(list) {
  const stale = [...list.stale];
  list.stale.clear();
  if (list.before.length) return; // an older page does not move under the reader
  if (!list.body?.isConnected || stale.some((id) => !list.rows.has(id))) {
    await turn(list);
    return;
  }
  for (const id of stale) {
    const known = list.rows.get(id);
    known.run = await api.run(id);
    if (list.signal.aborted) return;
    replaced(list, known);
  }
}

function replaced(list, known) {
  const focused = known.node.contains(document.activeElement);
  const node = line(list, known.run);
  known.node.replaceWith(node);
  known.node = node;
  if (focused) node.querySelector("a")?.focus();
}

function first(me) {
  return empty("No runs yet.",
    "Each run of a skill gets a line here and a page of its own, with everything that happened in it.",
    el("p", { class: "row" }, button("Start a run", () => startRun({ me }), { class: "primary" }), "or", command("prowess run session-start")));
}
