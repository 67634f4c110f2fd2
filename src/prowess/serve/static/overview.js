// How things stand: what runs now, and what came of all that ran.

import { api } from "./api.js";
import { bars, filled, lines } from "./charts.js";
import { button, command, el, empty, link, marked, put, redraw, to } from "./dom.js";
import { follow, gathered } from "./live.js";
import { bar, section, state, table } from "./parts.js";
import { startRun } from "./start.js";
import { average, count, money, percent, plural, short, title } from "./words.js";

const SPANS = [7, 30, 90];
const UNDER_WAY = new Set(["running", "waiting", "queued", "paused", "interrupted"]);
const TELLING = /^(run\.|question\.|agent\.|model\.replied)/;

export async function overview(main, { me, signal }) {
  const shown = { span: 30 };
  const after = await api.position();
  const [stats, page] = await Promise.all([api.stats(), api.runs({ limit: 100 })]);
  if (signal.aborted) return;
  const now = el("div", {});
  const rest = el("div", {});
  const draw = () => {
    redraw(now, current(page.runs));
    redraw(rest, shown.stats.all.runs ? numbers(shown, draw) : first(me));
  };
  shown.stats = stats;
  put(main, el("h1", {}, "Overview"), now, rest);
  draw();
  const again = gathered(async () => {
    [shown.stats, { runs: page.runs }] = await Promise.all([api.stats(), api.runs({ limit: 100 })]);
    if (!signal.aborted) draw();
  }, 1000, signal);
  follow("/api/events", { after, signal, take: (events) => events.some((each) => TELLING.test(each.kind)) && again() });
}

function current(runs) {
  const active = runs.filter((run) => UNDER_WAY.has(run.state) && !run.parent);
  if (!active.length) return null;
  return section(`Now: ${plural(active.length, "run")}`, el("ul", { class: "now" }, active.map((run) =>
    el("li", {}, link(to("runs", run.id), [
      el("span", { class: "now-skill" }, title(run)), state(run.state), bar(run.progress, `Progress of ${title(run)}`),
      el("span", { class: "now-line" }, marked((run.state === "waiting" && run.question?.prompt) || run.summary)),
    ], { data: { stop: "" } })))));
}

function numbers(shown, draw) {
  const { all, skills, loops, models, days } = shown.stats;
  const span = filled(days, shown.span);
  const choose = SPANS.map((amount) => button(`${amount} days`, () => { shown.span = amount; draw(); }, { "aria-pressed": String(amount === shown.span), class: "quiet small" }));
  return [
    el("div", { class: "tiles" },
      tile("Success", percent(all.success_rate), `${count(all.endings.done ?? 0)} of ${plural(ended(all), "run")} done`),
      tile("Recovery", percent(all.recovery_rate), `${count(all.overcome_calls)} of ${plural(all.failing_calls, "failing call")} overcome`),
      tile("Iterations", average(all.iterations), "in a run, on average"),
      tile("Cost", money(all.cost), all.cost === null ? "a price is not known" : `${short(all.tokens)} tokens`)),
    el("div", { class: "row spread" }, el("h2", {}, "Over time"), el("div", { class: "segments", role: "group", "aria-label": "Days shown" }, choose)),
    el("div", { class: "charts" },
      bars("Runs by how they ended", span, [
        { name: "done", kind: "good", of: (each) => each.endings.done },
        { name: "partial", kind: "fair", of: (each) => each.endings.partial },
        { name: "needs attention", kind: "accent", of: (each) => each.endings.needs_attention },
        { name: "failed", kind: "bad", of: (each) => each.endings.failed },
        { name: "cancelled", kind: "none", of: (each) => each.endings.cancelled },
      ], count),
      lines("Success and recovery", span, [
        { name: "success", kind: "accent", of: (each) => each.success_rate },
        { name: "recovery", kind: "none", of: (each) => each.recovery_rate },
      ], percent),
      bars("Cost", span, [{ name: "cost", kind: "accent", of: (each) => each.cost }], money),
      bars("Iterations of a run, on average", span, [{ name: "iterations", kind: "accent", of: (each) => each.iterations }], average)),
    Object.keys(skills).length > 0 && section("By skill", bySkill(skills)),
    Object.keys(loops).length > 0 && section("By loop", byLoop(loops)),
    el("div", { class: "columns" },
      section("Most common recoveries", recoveries(all.recoveries)),
      Object.keys(models).length > 0 && section("By model", byModel(models))),
  ];
}

function ended(all) {
  const endings = Object.entries(all.endings).filter(([ending]) => ending !== "cancelled");
  return endings.reduce((sum, [, amount]) => sum + amount, 0);
}

function tile(name, value, about) {
  return el("div", { class: "tile" }, el("span", { class: "tile-name" }, name), el("span", { class: "tile-value" }, value), el("span", { class: "tile-about" }, about));
}

function bySkill(skills) {
  const columns = [["Skill"], ["Runs", "num"], ["Success", "num"], ["Recovery", "num"], ["Iterations", "num"], ["Cost", "num"], ["Most common recovery"]];
  const rows = Object.entries(skills).sort(([, one], [, other]) => other.runs - one.runs).slice(0, 50);
  return table("Numbers of each skill", columns, rows.map(([name, each]) => [
    link(to("skills", name), name || "(none)", { data: { stop: "" } }),
    count(each.runs), percent(each.success_rate), percent(each.recovery_rate), average(each.iterations), money(each.cost),
    each.recoveries.length ? `${each.recoveries[0].how} (${percent(each.recoveries[0].share)})` : "",
  ]));
}

function byLoop(loops) {
  const columns = [["Plan"], ["Loops", "num"], ["Success", "num"], ["Cost", "num"]];
  return table("Numbers of each plan", columns, Object.entries(loops).map(([plan, each]) =>
    [link(to("loop"), plan, { data: { stop: "" } }), count(each.runs), percent(each.success_rate), money(each.cost)]));
}

function recoveries(ways) {
  if (!ways.length) return empty("Nothing had to be overcome yet.", "When a call fails and a run gets past it, the way is counted here.");
  return el("ul", { class: "shares" }, ways.slice(0, 8).map((way) =>
    el("li", {}, el("span", {}, way.how), bar(way.share * 100, way.how), el("span", { class: "num" }, count(way.count)))));
}

function byModel(models) {
  const columns = [["Model"], ["Requests", "num"], ["Tokens in", "num"], ["Tokens out", "num"], ["Cost", "num"]];
  return table("Numbers of each model", columns, Object.entries(models).map(([name, used]) =>
    [name, count(used.requests), short(used.input_tokens), short(used.output_tokens), money(used.cost)]));
}

function first(me) {
  return empty("Nothing has run here yet.",
    "A run is one skill at work on one task. Start one here, or in a terminal; it shows up on this page as it happens.",
    el("p", { class: "row" }, button("Start a run", () => startRun({ me }), { class: "primary" }), "or", command("prowess run session-start")),
    el("p", { class: "hint" }, marked("Workflows such as `session-start` need no model; a skill needs one, from a key in the environment or a server on this machine. "), link(to("skills"), "Skills"), " shows which there are, and lets you try which one fits a task."));
}
