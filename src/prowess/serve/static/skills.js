// The skills there are, what is wrong with some, and which one fits a task.

import { api } from "./api.js";
import { button, command, el, empty, field, guarded, link, marked, put, redraw, say, to } from "./dom.js";
import { follow, gathered } from "./live.js";
import { section, table } from "./parts.js";
import { startRun } from "./start.js";
import { count, percent, plural } from "./words.js";

const CHANGED = new Set(["SKILLS_DISCOVERED", "SKILLS_LOAD_FAILED", "run.finished"]);
const DRAWN = 100; // skills at first, and with each press of the button

export async function skills(main, { me, signal }) {
  const load = () => Promise.all([known(me), api.stats()]);
  const after = await api.position();
  let [catalog, stats] = await load();
  if (signal.aborted) return;
  let most = DRAWN;
  const wrong = el("div", {});
  const amount = el("h2", {});
  const list = el("div", {});
  const find = el("input", { type: "search", placeholder: "Find a skill", "aria-label": "Find a skill", on: { input: () => draw() } });
  const draw = () => {
    redraw(wrong, problems(catalog.problems), shadowed(catalog.shadowed));
    put(amount, plural(catalog.skills.length, "skill"));
    redraw(list, rows(catalog.skills, stats.skills, find.value, most, () => { most += DRAWN; draw(); }));
  };
  put(main, el("h1", {}, "Skills"), tryOut(me), wrong, el("div", { class: "row spread" }, amount, find), list);
  draw();
  const again = gathered(async () => {
    [catalog, stats] = await load();
    if (!signal.aborted) draw();
  }, 500, signal);
  follow("/api/events", { after, signal, take: (events) => events.some((each) => CHANGED.has(each.kind)) && again() });
}

/** Whoever is no developer sees which skills there are, but not where. */
async function known(me) {
  if (me.role !== "END_USER") return api.catalog();
  const rows = await api.skills();
  return { skills: rows.map((each) => ({ ...each, title: each.name, name: each.id })), problems: [], shadowed: [] };
}

function tryOut(me) {
  const found = el("div", { "aria-live": "polite" });
  const task = el("input", { name: "task", required: true, autocomplete: "off", placeholder: "make a report of the sales in a CSV file" });
  const look = guarded(async () => {
    const chosen = await api.match(task.value);
    put(found, matches(chosen, task.value, me));
    say(chosen.skills.length ? `${plural(chosen.skills.length, "skill")} found` : "No skill fits");
  });
  return el("form", { class: "card", on: { submit: look } },
    el("div", { class: "row try" }, field("Which skill fits a task?", task), el("button", { class: "primary" }, "Match")),
    el("p", { class: "hint" }, "No model is asked. The same task always gets the same answer."), found);
}

function matches(chosen, task, me) {
  const errors = chosen.errors.map((error) => el("p", { class: "wrong" }, error));
  if (!chosen.skills.length) {
    return [errors, empty("No skill fits this task, so none would be chosen.", "Better none than a wrong one. Say more of what the task is about, or name a skill with @name.")];
  }
  return [errors, el("ol", { class: "matches" }, chosen.skills.map((each) =>
    el("li", {}, el("div", { class: "row spread" }, link(to("skills", each.name), each.name, { data: { stop: "" } }),
      el("span", { class: "row" }, each.score !== null && el("span", { class: "hint num" }, `score ${each.score.toFixed(2)}`),
        button("Run it", () => startRun({ me, skill: each.name, task }), { class: "quiet small" }))),
    el("p", { class: "hint" }, each.reason))))];
}

export function problems(found) {
  if (!found.length) return null;
  const grave = found.filter((each) => each.level === "error").length;
  return section(plural(found.length, "problem"),
    el("ul", { class: "problems" }, found.slice(0, DRAWN).map((each) =>
      el("li", { data: { level: each.level } },
        el("p", {}, el("span", { class: "verdict" }, each.level), marked(each.message)),
        each.hint && el("p", { class: "hint" }, marked(each.hint)),
        el("code", { class: "path" }, each.line ? `${each.path}:${each.line}` : each.path)))),
    grave > 0 && el("p", { class: "hint" }, "A skill whose file cannot be read is not loaded; one whose settings or steps are wrong is listed, and not run. The list follows the files: mend one, and it is gone from here."));
}

function shadowed(found) {
  if (!found.length) return null;
  return el("details", { class: "shadowed" }, el("summary", {}, `${plural(found.length, "skill")} shadowed by another of the same name`),
    table("Shadowed skills", [["Skill"], ["Not used", "path"], ["Because of", "path"]], found.slice(0, DRAWN).map((each) => [each.name, each.path, each.by])));
}

function rows(all, used, wanted, most, further) {
  if (!all.length) {
    return empty("No skills yet.", "A skill is a folder with a SKILL.md in it: what it is for, and how it is done. This makes one here:",
      el("p", {}, command("prowess new my-skill")), "It shows up on this page as soon as it is there.");
  }
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((each) => words.every((word) => `${each.name} ${each.title} ${each.description}`.toLowerCase().includes(word)));
  if (!found.length) return empty("No skill has these words.", "The box above finds skills by what a task is about.");
  const columns = [["Skill"], ["What it is for", "wide"], ["Where"], ["Runs", "num"], ["Success", "num"]];
  return [
    table("Skills", columns, found.slice(0, most).map((each) => [
      link(to("skills", each.name), each.name, { data: { stop: "" } }),
      el("span", { class: "clip two" }, each.description), each.location ?? "",
      count(used[each.name]?.runs ?? 0), percent(used[each.name]?.success_rate),
    ])),
    found.length > most && button(`Show ${count(Math.min(DRAWN, found.length - most))} more of ${count(found.length - most)}`, further, { class: "quiet" }),
  ];
}
