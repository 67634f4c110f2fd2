// The page itself: which part of it is shown, the keys, the colours, and who is looking.

import { api, Problem, token } from "./api.js";
import { board } from "./board.js";
import { button, complain, el, field, link, marked, put, say, to } from "./dom.js";
import { loop } from "./loop.js";
import { overview } from "./overview.js";
import { rest } from "./rest.js";
import { run } from "./run.js";
import { runs } from "./runs.js";
import { settings } from "./settings.js";
import { skill } from "./skill.js";
import { skills } from "./skills.js";
import { startRun } from "./start.js";
import { theme } from "./theme.js";

// A page is drawn into `main` and lives until `signal`. `g` and the key lead to it; one without a key
// has no link above.
const PAGES = [
  { path: "", name: "Overview", key: "o", draw: overview },
  { path: "runs", name: "Runs", key: "r", draw: runs, one: run },
  { path: "skills", name: "Skills", key: "s", draw: skills, one: skill },
  { path: "board", name: "Board", key: "b", draw: board },
  { path: "loop", name: "Loop", key: "l", draw: loop, one: run },
  { path: "settings", name: "Settings", key: "e", draw: settings },
  { path: "rest", name: "REST", draw: rest },
];
const LINKED = PAGES.filter((each) => each.key);
const main = document.getElementById("main");
let leaving = new AbortController();
let me = null;
let visits = 0;

async function show() {
  visits += 1;
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const [path = "", ...more] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const page = PAGES.find((each) => each.path === path);
  mark(page);
  complain();
  try {
    me ??= await api.me();
    if (signal.aborted) return;
    if (!page) throw new Problem(404, { message: "There is no such page.", hint: "The links above lead to those that are." });
    main.setAttribute("aria-busy", "true");
    const draw = more[0] && page.one ? page.one : page.draw;
    await draw(main, { id: more[0] ?? "", me, signal });
    if (!signal.aborted) arrived(page);
  } catch (error) {
    if (error.name !== "AbortError" && error.status !== 401 && !signal.aborted) failed(error, page ?? PAGES[0]);
  } finally {
    if (!signal.aborted) main.removeAttribute("aria-busy");
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function arrived(page) {
  const title = main.querySelector("h1");
  document.title = `${title?.textContent || page.name} · Prowess`;
  say(title?.textContent || page.name);
  window.scrollTo(0, 0);
  // Who follows a link goes on from the top of the new page; who has just come, from the top of it all.
  if (title && visits > 1) {
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  }
}

/** What is not there is not there the next time either; what failed may be. */
function failed(error, page) {
  const gone = error.status === 404;
  put(main, el("h1", {}, gone ? "Not found" : "This cannot be shown"), el("p", {}, marked(error.message)),
    error.hint && el("p", { class: "hint" }, marked(error.hint)),
    el("p", {}, gone ? link(to(page.path), `Go to ${page.name}`) : button("Try again", show, { class: "primary" })));
}

function mark(page) {
  put(document.getElementById("nav"), LINKED.map((each) =>
    el("a", {
      href: `#/${each.path}`,
      "aria-current": each === page && "page",
      "aria-keyshortcuts": `g ${each.key}`,
    }, each.name)));
}

// With tokens, the page is for those who have one. It is kept until the tab is closed, and nowhere else.
window.addEventListener("token-needed", () => {
  const input = el("input", { type: "password", name: "token", autocomplete: "off", required: true });
  const enter = (event) => {
    event.preventDefault();
    token.set(input.value.trim());
    me = null;
    show();
  };
  put(main, el("form", { class: "card narrow", on: { submit: enter } },
    el("h1", {}, "Who are you?"),
    el("p", {}, token.get() ? "That token is not known here." : "This server asks for a token."),
    field("Token", input, "From [serve.tokens] in the settings of whoever runs this server."),
    el("button", { class: "primary" }, "Enter")));
  token.set("");
  input.focus();
});

const SHORTCUTS = [
  ...LINKED.map((each) => [`g ${each.key}`, each.name]),
  ["n", "Start a run"],
  ["/", "Find"],
  ["j  k", "Next and previous in a list"],
  ["d", "Show or hide full details of a run"],
  ["?", "These keys"],
];

function help() {
  const close = () => dialog.close();
  const dialog = el("dialog", { class: "card", "aria-labelledby": "keys", on: { close: () => dialog.remove() } },
    el("h2", { id: "keys" }, "Keys"),
    el("dl", { class: "keys" }, SHORTCUTS.map(([keys, what]) =>
      [el("dt", {}, keys.split(/ +/).map((key) => el("kbd", {}, key))), el("dd", {}, what)])),
    button("Close", close, { class: "primary" }));
  document.body.append(dialog);
  dialog.showModal();
}

let first = ""; // the key before this one
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = first === "g" && PAGES.find((each) => each.key === event.key);
  first = event.key;
  if (page) location.hash = `#/${page.path}`;
  else if (event.key === "n") startRun({ me });
  else if (event.key === "?") help();
  else if (event.key === "/") main.querySelector("input[type=search]")?.focus();
  else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (event.key === "d") main.querySelector("#details")?.click();
  else return;
  event.preventDefault();
});

function step(by) {
  const stops = [...main.querySelectorAll("[data-stop]")].filter((each) => each.offsetParent);
  const here = stops.indexOf(document.activeElement);
  stops[here === -1 ? 0 : Math.max(0, Math.min(stops.length - 1, here + by))]?.focus();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.getElementById("start").addEventListener("click", () => startRun({ me }));
document.getElementById("help").addEventListener("click", help);
theme(document.getElementById("theme"));
window.addEventListener("hashchange", show);
show();
