// The settings in force, and who sees how much of a run.

import { api } from "./api.js";
import { command, el, empty, put } from "./dom.js";
import { facts, section, table } from "./parts.js";
import { UNKNOWN } from "./words.js";

const GROUPS = ["skills", "model", "run", "permissions", "sandbox", "privacy", "serve", "mcp"];
const MEANING = { FULL: "everything", SUMMARY: "milestones only", HIDDEN: "that it happened" };

export async function settings(main, { me, signal }) {
  if (me.role === "END_USER") {
    put(main, el("h1", {}, "Settings"), empty("Settings are for developers.", `Your token has the role ${me.role}.`));
    return;
  }
  const told = await api.settings();
  if (signal.aborted) return;
  put(main, el("h1", {}, "Settings"),
    facts([["You are", `${me.name}, ${me.role}`], ["Sandbox", `${told.sandbox.level}${told.sandbox.isolated ? "" : ", not isolated"}`], ["Version", told.version], ["Read from", sources(told.settings)]], "inline"),
    visibility(told.visibility), effective(told.settings),
    el("p", { class: "hint" }, "Settings are read when the server starts: prowess.toml of the project, then your own. "), command("prowess doctor"));
}

function sources({ sources: files = [] }) {
  return files.length ? files.join(", ") : "no file: the defaults hold";
}

function visibility({ levels, personal }) {
  const kinds = Object.keys(Object.values(levels)[0] ?? {}).filter(Boolean);
  const columns = [["Role"], ["By itself"], ...kinds.map((kind) => [kind.toLowerCase()]), ["Personal data"]];
  const cell = (level) => el("span", { class: "level", data: { level }, title: MEANING[level] }, level.toLowerCase());
  return section("Who sees what of a run",
    el("p", { class: "hint" }, "For each role and each kind of tool, the more hidden of the two rules. Secrets are shown to nobody."),
    table("Visibility by role and kind of tool", columns, Object.entries(levels).map(([role, each]) =>
      [role, cell(each[""]), ...kinds.map((kind) => cell(each[kind])), personal.includes(role) ? "kept" : "removed"])));
}

function effective(values) {
  const entries = Object.entries(values).filter(([name]) => name !== "sources");
  const groups = [...GROUPS, ""].map((group) => [group, entries.filter(([name]) => belongs(name) === group)]);
  return section("In force", groups.filter(([, some]) => some.length).map(([group, some]) =>
    el("div", { class: "group" }, el("h3", {}, group || "this server"),
      el("dl", { class: "settings" }, some.map(([name, value]) => el("div", {}, el("dt", {}, el("code", {}, name)), el("dd", {}, words(value))))))));
}

function belongs(name) {
  return GROUPS.find((group) => name.startsWith(`${group}_`)) ?? "";
}

function words(value) {
  if (value === "" || value === null) return UNKNOWN;
  if (Array.isArray(value)) return value.length ? value.map((each) => el("div", {}, String(each))) : UNKNOWN;
  if (typeof value === "object") return Object.keys(value).length ? JSON.stringify(value) : UNKNOWN;
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}
