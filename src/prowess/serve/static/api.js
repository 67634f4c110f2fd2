// Every question this page asks the server, in one place. They are the REST that everybody has.

const KEPT = "prowess.token";

/** The server's own words for what is wrong, and what to do about it. */
export class Problem extends Error {
  constructor(status, { message = `the server answered ${status}`, hint = "", code = "" } = {}) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.code = code;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEPT) ?? "",
  set: (value) => (value ? sessionStorage.setItem(KEPT, value) : sessionStorage.removeItem(KEPT)),
};

export function headers(more = {}) {
  return token.get() ? { ...more, Authorization: `Bearer ${token.get()}` } : more;
}

/** The answer as JSON; what went wrong is thrown as a `Problem`. */
async function ask(path, { method = "GET", body = null, signal = null } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      signal,
      headers: headers(body ? { "Content-Type": "application/json" } : {}),
      body: body ? JSON.stringify(body) : undefined,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { message: "The server does not answer.", hint: "Is `prowess serve` still running?" });
  }
  const told = await response.json().catch(() => ({}));
  if (response.ok) return told;
  const problem = new Problem(response.status, told);
  if (problem.status === 401) window.dispatchEvent(new CustomEvent("token-needed"));
  throw problem;
}

const post = (path, body = {}) => ask(path, { method: "POST", body });
const part = encodeURIComponent;

function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

export const api = {
  me: () => ask("/api/me"),
  settings: () => ask("/api/settings"),
  stats: () => ask("/api/stats"),
  openapi: () => ask("/openapi.json"),
  markdown: (text) => post("/api/markdown", { text }),

  position: async () => (await ask("/api/position")).position,
  runs: (wanted = {}) => ask(`/api/runs${query(wanted)}`),
  run: (id) => ask(`/api/runs/${part(id)}`),
  start: (asked) => post("/api/runs", asked),
  cancel: (id) => post(`/api/runs/${part(id)}/cancel`),
  resume: (id) => post(`/api/runs/${part(id)}/resume`),
  fork: (id, iteration) => post(`/api/runs/${part(id)}/fork`, { iteration }),
  answer: (id, question, answer) => post(`/api/runs/${part(id)}/answer`, { question, answer }),

  skills: () => ask("/api/skills"),
  skill: (id) => ask(`/api/skills/${part(id)}`),
  catalog: () => ask("/api/catalog"),
  sheet: (id) => ask(`/api/catalog/${part(id)}`),
  match: (task) => post("/api/match", { task, limit: 5 }),

  roles: () => ask("/api/roles"),
  names: (role) => ask(`/api/names/${part(role)}`),
  tasks: () => ask("/api/tasks?all=true"),
  task: (id) => ask(`/api/tasks/${part(id)}`),
  newTask: (asked) => post("/api/tasks", asked),
  claim: (id, session) => post(`/api/tasks/${part(id)}/claim`, { session }),
  update: (id, asked) => post(`/api/tasks/${part(id)}/update`, asked),
  done: (id, asked) => post(`/api/tasks/${part(id)}/done`, asked),
  sessions: () => ask("/api/sessions"),
  startSession: (asked) => post("/api/sessions", asked),
  endSession: (name, summary) => post(`/api/sessions/${part(name)}/end`, { summary }),
  handoffs: () => ask("/api/handoffs"),
  accept: (id, session) => post(`/api/handoffs/${part(id)}/accept`, { session }),
};
