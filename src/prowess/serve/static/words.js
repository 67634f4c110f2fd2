// Numbers, times and states as people read them. What is not known is a dash, never a zero.

export const UNKNOWN = "–";

const number = new Intl.NumberFormat("en");
const cents = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function count(value) {
  return value === null || value === undefined ? UNKNOWN : number.format(value);
}

export function short(value) {
  return value === null || value === undefined ? UNKNOWN : compact.format(value);
}

export function percent(share) {
  return share === null || share === undefined ? UNKNOWN : `${Math.round(share * 100)} %`;
}

export function average(value) {
  return value === null || value === undefined ? UNKNOWN : value.toFixed(1);
}

export function money(dollars) {
  if (dollars === null || dollars === undefined) return UNKNOWN;
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${cents.format(dollars)}`;
}

/** Who counts no tokens has told nothing of what they cost. */
export function price(dollars, tokens) {
  return money(tokens || dollars ? dollars : null);
}

export function plural(amount, one, many = `${one}s`) {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

export function seconds(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return UNKNOWN;
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  if (value < 3600) return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
  return `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
}

/** The time between two moments; without the second, until now. */
export function lasted(started, ended) {
  return seconds(Math.max(0, (moment(ended || new Date().toISOString()) - moment(started)) / 1000));
}

/** Times come in UTC, with or without saying so. */
function moment(text) {
  return new Date(/Z|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
}

export function ago(text) {
  if (!text) return UNKNOWN;
  const past = (Date.now() - moment(text)) / 1000;
  if (past < 10) return "just now";
  if (past < 60) return `${Math.floor(past)} s ago`;
  if (past < 3600) return `${Math.floor(past / 60)} min ago`;
  if (past < 86400) return `${Math.floor(past / 3600)} h ago`;
  if (past < 86400 * 14) return plural(Math.floor(past / 86400), "day") + " ago";
  return day(text);
}

export function clock(text) {
  return text ? moment(text).toLocaleTimeString("en-GB") : UNKNOWN;
}

export function day(text) {
  return moment(text).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

export function whole(text) {
  return text ? moment(text).toLocaleString("en-GB") : "";
}

/** The folder that a run works in, by its name; its whole path is told on demand. */
export function folder(path) {
  return path.split("/").filter(Boolean).at(-1) ?? "";
}

/** Whether these runs work in more than one folder. */
export function apart(runs) {
  return new Set(runs.map((run) => run.project).filter(Boolean)).size > 1;
}

/** What a run is called: a loop by its plan, which is no skill. */
export function title(run) {
  return run.kind === "loop" ? `Loop over ${run.skill}` : run.skill || run.kind || run.id;
}

// A state's mark says it again for those who do not see colours.
export const STATES = {
  queued: { mark: "…", word: "in the queue" },
  paused: { mark: "‖", word: "paused" },
  interrupted: { mark: "‖", word: "interrupted" },
  running: { mark: "●", word: "running" },
  waiting: { mark: "?", word: "waits for you" },
  done: { mark: "✓", word: "done" },
  partial: { mark: "◐", word: "partial" },
  failed: { mark: "✕", word: "failed" },
  cancelled: { mark: "–", word: "cancelled" },
  needs_attention: { mark: "!", word: "needs attention" },
};
