// The loop's place: what it does, and the loops that ran.

import { api } from "./api.js";
import { command, el, empty, link, marked, put, to } from "./dom.js";
import { place, state, table } from "./parts.js";
import { ago, apart } from "./words.js";

export async function loop(main, { signal }) {
  const { runs } = await api.runs({ limit: 200 });
  if (signal.aborted) return;
  const loops = runs.filter((run) => run.kind === "loop");
  put(main, el("h1", {}, "Loop"), loops.length ? list(loops) : first());
}

function list(loops) {
  const several = apart(loops);
  const columns = [["Plan"], ...(several ? [["Project", "plain"]] : []), ["State", "plain"], ["Last", "wide"], ["Started", "num"]];
  return table("Loops", columns, loops.map((run) => [
    link(to("loop", run.id), run.arguments || run.skill || run.id, { data: { stop: "" } }), ...(several ? [place(run)] : []), state(run.state),
    el("span", { class: "clip" }, marked(run.summary)), ago(run.started),
  ]));
}

function first() {
  return empty("No loop has run here yet.",
    "A loop takes a plan, a Markdown file with a list of tasks, and works through it: it picks a task, chooses skills, has an agent do it, checks what was done, and ticks it only when it is proven.",
    el("p", {}, command("prowess loop PLAN.md")));
}
