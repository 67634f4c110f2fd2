// The settings in force, and who sees how much of a run.

import { api } from "./api.js";
import { command, el, empty, marked, put } from "./dom.js";
import { facts, section, table } from "./parts.js";
import { plural, UNKNOWN } from "./words.js";

const GROUPS = ["skills", "model", "run", "permissions", "sandbox", "privacy", "limits", "worker", "check", "serve", "mcp"];
const COUNTED = { serve_tokens: "token", mcp_servers: "server" }; // what they are is told to nobody
const SECONDS = new Set(["run_timeout_per_iteration", "sandbox_seconds"]);
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
    visibility(told.visibility), effective(told.settings, told.meanings),
    el("p", { class: "hint row" }, "Settings are read when the server starts: prowess.toml of the project, then your own.", command("prowess doctor")));
}

function sources({ sources: files = [] }) {
  return files.length ? files.join(", ") : "no file: the defaults, and the environment of the server";
}

function visibility({ levels, personal }) {
  const kinds = Object.keys(Object.values(levels)[0] ?? {}).filter(Boolean);
  const columns = [["Role"], ["The run itself"], ...kinds.map((kind) => [`${kind.toLowerCase()} calls`]), ["Personal data"]];
  const cell = (level) => el("span", { class: "level", data: { level }, title: MEANING[level] }, level.toLowerCase());
  return section("Who sees what of a run",
    el("p", { class: "hint lead" }, "The run itself is its progress, what it thinks, asks and answers; the others are calls of one kind of tool, where the more hidden of the rules for the role and for the tool wins. ",
      Object.entries(MEANING).map(([level, words]) => `${level.toLowerCase()}: ${words}`).join("; "), ". Secrets are shown to nobody."),
    table("Visibility by role and kind of tool", columns, Object.entries(levels).map(([role, each]) =>
      [role, cell(each[""]), ...kinds.map((kind) => cell(each[kind])), personal.includes(role) ? "kept" : "removed"])));
}

function effective(values, meanings) {
  const entries = Object.entries(values).filter(([name]) => name !== "sources");
  const groups = [...GROUPS, ""].map((group) => [group, entries.filter(([name]) => belongs(name) === group)]);
  return section("In force", groups.filter(([, some]) => some.length).map(([group, some]) =>
    el("div", { class: "group" }, el("h3", {}, group || "this server"),
      el("dl", { class: "settings" }, some.map(([name, value]) => el("div", {}, el("dt", {}, el("code", {}, name)),
        el("dd", {}, words(name, value), meanings[name] && el("p", { class: "hint" }, marked(meanings[name])))))))));
}

function belongs(name) {
  return GROUPS.find((group) => name === group || name.startsWith(`${group}_`)) ?? "";
}

function words(name, value) {
  if (name in COUNTED) return value ? plural(value, COUNTED[name]) : UNKNOWN;
  if (SECONDS.has(name)) return `${value} s`;
  if (value === "" || value === null) return UNKNOWN;
  if (Array.isArray(value)) return value.length ? value.map((each) => el("div", {}, String(each))) : UNKNOWN;
  if (typeof value === "object") return Object.keys(value).length ? JSON.stringify(value) : UNKNOWN;
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}
