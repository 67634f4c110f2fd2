// The loop's place: what it does, and the loops that ran, as they go on.

import { api } from "./api.js";
import { button, command, el, empty, link, marked, put, redraw, to } from "./dom.js";
import { follow, gathered } from "./live.js";
import { place, state, table } from "./parts.js";
import { ago, apart } from "./words.js";

const PAGE = 50;

export async function loop(main, { signal }) {
  const list = { signal, before: [], runs: [], next: null, stale: new Set(), place: el("div", {}), position: await api.position() };
  put(main, el("div", { class: "row spread" }, el("h1", {}, "Loop"), el("span", { class: "hint" }, "newest first, live")), list.place);
  await turn(list);
  const again = gathered(() => refresh(list), 300, signal);
  follow("/api/events", { after: list.position, signal, take: (events) => {
    events.filter((event) => concerns(list, event)).forEach(({ run }) => list.stale.add(run));
    if (list.stale.size) again();
  } });
}

/** A loop that is shown, or one that begins; who may see little is not told what begins. */
function concerns(list, { run, kind, run_kind: begun = "loop" }) {
  return list.runs.some((each) => each.id === run) || (kind === "run.started" && begun === "loop" && !list.before.length);
}

async function refresh(list) {
  const stale = [...list.stale];
  list.stale.clear();
  if (stale.some((id) => list.runs.every((each) => each.id !== id))) {
    await turn(list);
    return;
  }
  const anew = new Map((await Promise.all(stale.map((id) => api.run(id)))).map((run) => [run.id, run]));
  list.runs = list.runs.map((run) => anew.get(run.id) ?? run);
  draw(list);
}

async function turn(list) {
  Object.assign(list, await looked(list.before.at(-1)));
  draw(list);
}

function draw(list) {
  if (list.signal.aborted) return;
  redraw(list.place, list.runs.length || list.before.length ? [drawn(list.runs), pages(list)] : first());
}

/** Where loops are few among many runs, the server looks through some of them at a time. */
async function looked(before) {
  const runs = [];
  let next = before;
  do {
    const page = await api.runs({ kind: "loop", limit: PAGE - runs.length, before: next });
    runs.push(...page.runs);
    next = page.next;
  } while (next && runs.length < PAGE);
  return { runs, next };
}

function drawn(loops) {
  const several = apart(loops);
  const columns = [["Plan"], ...(several ? [["Project", "plain"]] : []), ["State", "plain"], ["Last", "wide"], ["Started", "num"]];
  return table("Loops", columns, loops.map((run) => [
    link(to("loop", run.id), run.arguments || run.skill || run.id, { data: { stop: "" } }), ...(several ? [place(run)] : []), state(run.state),
    el("span", { class: "clip" }, marked(run.summary)), ago(run.started),
  ]));
}

function pages(list) {
  if (!list.next && !list.before.length) return null;
  const newer = button("Newer", () => { list.before.pop(); turn(list); }, { disabled: !list.before.length });
  const older = button("Older", () => { list.before.push(list.next); turn(list); }, { disabled: !list.next });
  return el("nav", { class: "row pages", "aria-label": "Pages of loops" }, newer, older);
}

function first() {
  return empty("No loop has run here yet.",
    "A loop takes a plan, a Markdown file with a list of tasks, and works through it: it picks a task, chooses skills, has an agent do it, checks what was done, and ticks it only when it is proven.",
    el("p", {}, command("prowess loop PLAN.md")));
}
