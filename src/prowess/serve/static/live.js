// Following live events. Each is handed on once and in order, also when the line breaks in between:
// the last number is kept, and whoever comes back goes on after it. A page that nobody looks at holds
// no line open, because a browser has only a few for each server.

import { headers, Problem } from "./api.js";

const PATIENCE = [500, 1000, 2000, 4000, 8000];

/**
 * Follow what comes after the number `after`, until `signal`; `take` gets lists of events. `last(event)`
 * true says that it was the last. Whoever shows something and follows what changes it asks for the
 * number first: what happens between the look and the line would otherwise never be told.
 */
export function follow(path, { after, signal, take, last = () => false }) {
  const line = { path, number: after, signal, take, last, tries: 0, over: false };
  keep(line);
}

async function keep(line) {
  while (!line.signal.aborted && !line.over) {
    await seen(line.signal);
    if (line.signal.aborted) return;
    try {
      await read(line);
    } catch (error) {
      if (error instanceof Problem && error.status && error.status < 500) {
        show("");
        return; // the server has said no, and will say it again
      }
    }
    if (line.over || line.signal.aborted) break;
    show(document.hidden ? "" : "reconnecting…");
    await pause(PATIENCE[Math.min(line.tries, PATIENCE.length - 1)], line.signal);
    line.tries += 1;
  }
  show("");
}

async function read(line) {
  const closing = new AbortController();
  const hide = () => document.hidden && closing.abort();
  const leave = () => closing.abort();
  line.signal.addEventListener("abort", leave);
  document.addEventListener("visibilitychange", hide);
  try {
    const response = await fetch(`${line.path}?after=${line.number}`, {
      headers: headers({ Accept: "text/event-stream" }), signal: closing.signal,
    });
    if (!response.ok) throw new Problem(response.status);
    show("live");
    line.tries = 0;
    await take(line, response.body.getReader());
  } finally {
    line.signal.removeEventListener("abort", leave);
    document.removeEventListener("visibilitychange", hide);
  }
}

async function take(line, reader) {
  const letters = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + letters.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop();
    const events = blocks.map((block) => parsed(block, line)).filter(Boolean);
    if (line.signal.aborted) return;
    if (events.length) line.take(events);
    if (events.some(line.last)) {
      line.over = true;
      reader.cancel();
      return;
    }
  }
}

/** One event; a comment is only a sign of life. */
function parsed(block, line) {
  let data = "";
  for (const row of block.split("\n")) {
    if (row.startsWith("id: ")) line.number = Number(row.slice(4));
    else if (row.startsWith("data: ")) data += row.slice(6);
  }
  return data ? JSON.parse(data) : null;
}

function seen(signal) {
  if (!document.hidden) return Promise.resolve();
  return new Promise((go) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      go();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
  });
}

function pause(milliseconds, signal) {
  return new Promise((go) => {
    const timer = setTimeout(go, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); go(); }, { once: true });
  });
}

function show(state) {
  document.getElementById("link").textContent = state;
}

/**
 * Called often, `work` is done once in a while, and once more after the last call; never twice at a
 * time, because of two looks at the server the older one may be answered last.
 */
export function gathered(work, milliseconds, signal) {
  let wanted = false;
  let busy = false;
  const later = () => setTimeout(async () => {
    wanted = false;
    try {
      if (!signal.aborted) await work();
    } finally {
      busy = wanted;
      if (wanted) later();
    }
  }, milliseconds);
  return () => {
    if (signal.aborted) return;
    wanted = true;
    if (busy) return;
    busy = true;
    later();
  };
}
