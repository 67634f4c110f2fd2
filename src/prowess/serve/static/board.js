// The board: what is to be done, who is at work, and what one hands to another.

import { api } from "./api.js";
import { button, command, el, empty, field, guarded, put, redraw, say } from "./dom.js";
import { follow, gathered } from "./live.js";
import { section, table } from "./parts.js";
import { ago, count, plural } from "./words.js";

const COLUMNS = [
  { title: "Open", holds: ["open"] },
  { title: "In progress", holds: ["in-progress"] },
  { title: "Blocked", holds: ["blocked"] },
  { title: "Finished", holds: ["done", "failed", "cancelled"] },
];
const DRAWN = 30; // tasks of a column

export async function board(main, { me, signal }) {
  const page = { me, signal, may: me.role !== "END_USER", role: "" };
  page.place = el("div", {});
  page.filter = el("select", { "aria-label": "Role", on: { change: () => { page.role = page.filter.value; draw(page); } } });
  const after = await api.position();
  await load(page);
  if (signal.aborted) return;
  put(page.filter, el("option", { value: "" }, "All roles"), page.roles.map((role) => el("option", { value: role.name }, role.name)));
  put(main, el("div", { class: "row spread" }, el("h1", {}, "Board"),
    el("div", { class: "row" }, page.filter, page.may && button("New task", () => newTask(page), { class: "primary" }))), page.place);
  draw(page);
  const again = gathered(() => reload(page), 300, signal);
  follow("/api/events", { after, signal, take: (events) => events.some((each) => each.run === "board") && again() });
}

async function load(page) {
  [page.tasks, page.sessions, page.handoffs, page.roles] = await Promise.all([api.tasks(), api.sessions(), api.handoffs(), page.roles ?? api.roles()]);
}

async function reload(page) {
  await load(page);
  if (!page.signal.aborted) draw(page);
}

function draw(page) {
  const tasks = page.tasks.filter((task) => !page.role || task.role === page.role);
  redraw(page.place, page.tasks.length ? columns(page, tasks) : first(page), sessions(page), handoffs(page));
}

function columns(page, tasks) {
  return el("div", { class: "board" }, COLUMNS.map(({ title, holds }) => {
    const held = tasks.filter((task) => holds.includes(task.status));
    if (title === "Finished") held.sort((one, other) => other.finished.localeCompare(one.finished));
    return el("section", {}, el("h2", {}, title, el("span", { class: "hint" }, ` ${count(held.length)}`)),
      el("ul", { class: "cards" }, held.slice(0, DRAWN).map((task) => card(page, task))),
      held.length > DRAWN && el("p", { class: "hint" }, `and ${count(held.length - DRAWN)} more`),
      !held.length && el("p", { class: "hint" }, "none"));
  }));
}

function card(page, task) {
  const act = (name, words, work) => page.may && button(words, guarded(async () => { await work(); await reload(page); }), { class: "small", id: `${name}-${task.id}`, "aria-label": `${words} ${task.id}` });
  return el("li", { class: "task", data: { priority: task.priority } },
    el("button", { type: "button", class: "task-title", id: `task-${task.id}`, data: { stop: "" }, on: { click: guarded(() => shown(page, task.id)) } }, task.title),
    el("p", { class: "hint" }, el("code", {}, task.id), ` ${task.role}`, task.session && ` · ${task.session}`, task.status === "failed" || task.status === "cancelled" ? ` · ${task.status}` : ""),
    task.reason && el("p", { class: "reason" }, task.reason),
    el("div", { class: "row" },
      task.status === "open" && page.may && button("Claim", () => claim(page, task), { class: "small", id: `claim-${task.id}`, "aria-label": `Claim ${task.id}` }),
      task.status === "in-progress" && [act("done", "Done", () => api.done(task.id, {})), act("back", "Give back", () => api.update(task.id, { status: "open" }))],
      task.status === "blocked" && act("open", "Open again", () => api.update(task.id, { status: "open" }))));
}

/** A task is claimed by a session: one that is at work, or a new one under a name that is free. */
async function claim(page, task) {
  const [suggested] = await api.names(task.role);
  const working = page.sessions;
  const who = el("select", { name: "session", required: true },
    suggested && el("option", { value: `+${suggested.name}` }, `${suggested.name}, new here as ${task.role}`),
    working.map((each) => el("option", { value: each.name }, `${each.name}, at work as ${each.role}`)));
  dialog(`Claim ${task.id}`, [el("p", {}, task.title), field("As", who, suggested?.about)], "Claim", async () => {
    const name = who.value.replace(/^\+/, "");
    if (who.value.startsWith("+")) await api.startSession({ name, role: task.role, task: task.id });
    await api.claim(task.id, name);
    say(`${name} has ${task.id}`);
    await reload(page);
  });
}

function newTask(page) {
  const title = el("input", { name: "title", required: true, autocomplete: "off" });
  const role = el("select", { name: "role" }, page.roles.map((each) => el("option", { value: each.name }, `${each.name}: ${each.about}`)));
  role.value = page.role || "Engineer";
  const priority = el("select", { name: "priority" }, ["critical", "high", "medium", "low"].map((name) => el("option", { value: name, selected: name === "medium" }, name)));
  const about = el("textarea", { name: "description", rows: 3 });
  dialog("New task", [field("What is to be done", title), field("For", role), field("Priority", priority), field("More about it", about)], "Create", async () => {
    const made = await api.newTask({ title: title.value, role: role.value, priority: priority.value, description: about.value });
    say(`${made.id} is on the board`);
    await reload(page);
  });
}

async function shown(page, id) {
  const task = await api.task(id);
  const said = el("ul", { class: "said-list" }, task.messages.map((each) =>
    el("li", {}, el("span", { class: "hint" }, `${ago(each.at)} · ${each.status}${each.by ? ` · ${each.by}` : ""} `), each.text)));
  dialog(task.title, [
    el("p", { class: "hint" }, el("code", {}, task.id), ` ${task.role}, ${task.priority}, ${task.status}${task.session ? `, ${task.session}` : ""}`),
    task.description && el("p", { class: "said" }, task.description),
    task.subtasks.length > 0 && el("ul", {}, task.subtasks.map((each) => el("li", {}, `${each.id} ${each.title} (${each.status})`))),
    task.messages.length > 0 && said,
  ]);
}

function dialog(title, content, words = "", work = null) {
  const wrong = el("p", { class: "wrong", role: "alert" });
  const box = el("dialog", { class: "card", "aria-labelledby": "dialog-title", on: { close: () => box.remove() } });
  const submit = guarded(async () => {
    try {
      if (work) await work();
      box.close();
    } catch (error) {
      wrong.textContent = [error.message, error.hint].filter(Boolean).join(" – ");
    }
  });
  box.append(el("form", { on: { submit } }, el("h2", { id: "dialog-title" }, title), content, wrong,
    el("div", { class: "row end" }, button(work ? "Cancel" : "Close", () => box.close(), { class: work ? "" : "primary" }), work && el("button", { class: "primary" }, words))));
  document.body.append(box);
  box.showModal();
}

function sessions(page) {
  const here = page.sessions.filter((each) => !page.role || each.role === page.role);
  if (!here.length) return section("Nobody is at work", el("p", { class: "hint" }, "A session is an agent or a person at work under a name. Claim a task to start one, or: ", command("prowess session start NAME --role engineer")));
  return section(`${count(here.length)} at work`, table("Sessions", [["Name"], ["Role"], ["About"], ["Since", "num"], ["", "num plain"]], here.map((each) => [
    each.name, each.role, each.task, ago(each.started),
    page.may ? button("End", guarded(async () => { await api.endSession(each.name, ""); await reload(page); }), { class: "quiet small", "aria-label": `End the session of ${each.name}` }) : "",
  ])));
}

function handoffs(page) {
  const open = page.handoffs.filter((each) => ["pending", "accepted"].includes(each.status) && (!page.role || each.to_role === page.role));
  if (!open.length) return null;
  const working = page.sessions;
  return section(plural(open.length, "handoff"), table("Handoffs", [["From"], ["To"], ["What", "wide"], ["Task"], ["Status"], ["", "num plain"]], open.map((each) => {
    const taker = working.find((session) => session.role === each.to_role);
    const accept = each.status === "pending" && page.may && taker;
    return [
      each.sender || each.from_role, each.receiver || each.to_role, el("span", { class: "said" }, each.text), each.task, each.status,
      accept ? button(`Accept as ${taker.name}`, guarded(async () => { await api.accept(each.id, taker.name); await reload(page); }), { class: "quiet small" }) : "",
    ];
  })));
}

function first(page) {
  return empty("The board is empty.",
    "Tasks stand here by priority. An agent or a person claims one, and nobody else can have it then.",
    el("p", { class: "row" }, page.may && button("New task", () => newTask(page), { class: "primary" }), page.may && "or", command('prowess task create --role engineer --title "…"')));
}
