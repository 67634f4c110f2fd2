// One skill whole: what it says, what it may do, what it brings along, how it did.

import { api } from "./api.js";
import { button, el, link, put, to } from "./dom.js";
import { facts, section, table, text } from "./parts.js";
import { problems } from "./skills.js";
import { startRun } from "./start.js";
import { average, count, money, percent, plural } from "./words.js";

export async function skill(main, { id, me, signal }) {
  const [sheet, stats] = await Promise.all([me.role === "END_USER" ? api.skill(id) : api.sheet(id), api.stats()]);
  if (signal.aborted) return;
  put(main,
    el("p", { class: "hint" }, link(to("skills"), "Skills")),
    el("div", { class: "row spread" }, el("h1", {}, sheet.title ?? sheet.name),
      button("Run it", () => startRun({ me, skill: id }), { class: "primary" })),
    el("p", { class: "lead" }, sheet.description),
    usage(stats.skills[id]),
    sheet.problems && problems(sheet.problems),
    sheet.format && about(sheet),
    sheet.resources?.length > 0 && section(plural(sheet.resources.length, "file"), files(sheet.resources)),
    section("Instructions", el("div", { class: "instructions" },
      sheet.instructions ? text(sheet.instructions.trim(), 20_000) : el("p", { class: "hint" }, "It has none."))));
}

function usage(numbers) {
  if (!numbers) return el("p", { class: "hint" }, "It has not run yet.");
  return facts([
    ["Runs", count(numbers.runs)],
    ["Success", percent(numbers.success_rate)],
    ["Recovery", percent(numbers.recovery_rate)],
    ["Iterations", average(numbers.iterations)],
    ["Cost", money(numbers.cost)],
    ["Most common recovery", numbers.recoveries[0]?.how ?? ""],
  ], "inline");
}

function about(sheet) {
  const settings = Object.entries(sheet.settings ?? {}).filter(([, value]) => value !== null && value !== "" && value !== false);
  return section("About it", facts([
    ["Name", sheet.name],
    ["Version", sheet.version],
    ["Format", sheet.format],
    ["Found in", `${sheet.location}: ${sheet.path}`],
    ["May use", sheet.allowed_tools === null ? "what permissions.default grants" : sheet.allowed_tools.join(", ") || "nothing"],
    ["May not use", sheet.disallowed_tools.join(", ")],
    ["Chosen by", [sheet.model_may_invoke && "models", sheet.user_may_invoke && "people"].filter(Boolean).join(" and ")],
    ["Roles", sheet.roles.join(", ")],
    ["Needs", sheet.dependencies.length > 0 && el("span", { class: "row" }, sheet.dependencies.map((name) => link(to("skills", name), name)))],
    ["Missing", sheet.missing.join(", ")],
    ["Shadows", sheet.shadowed.map((each) => each.path).join(", ")],
    ...settings.map(([name, value]) => [name, String(value)]),
  ].filter(([, value]) => value)));
}

function files(resources) {
  return table("Files of the skill", [["File", "path"], ["What it is", "wide"], ["Lines", "num"]],
    resources.map((each) => [each.path, each.description, count(each.lines)]));
}
