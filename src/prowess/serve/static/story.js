// A run's events put in order for reading: by iteration, each call with what came of it, and what was
// chosen, proven and handed to sub-agents besides. Nothing is drawn here.

const HEARD = 3; // lines of an agent at work that a card shows

/** An item is one thing that happened: `kind` says which, `event` is what it began with, `end` how it ended. */
export class Story {
  constructor() {
    this.rounds = []; // of `{number, title, items}`: an iteration, a task of a loop, or what came before
    this.tasks = []; // of a loop: where each stands, what was seen of it, and who was at work on it
    this.said = new Map(); // the newest words of each agent, by its run
    this.over = new Set(); // agents that have ended, of which the loop has not told it yet
    this.paused = new Map(); // by task, what its agent waits for
    this.selections = [];
    this.criteria = [];
    this.report = null;
    this.outcome = null;
    this.children = new Map();
    this.events = 0;
    this.full = false; // something was told that a summary leaves out
    this.usage = new Map(); // tokens and cost by model
    this._calls = new Map();
    this._questions = new Map();
    this._steps = new Map();
  }

  /** Returns the item that is new or has changed, and its round; null where nothing is to be drawn. */
  add(event) {
    this.events += 1;
    this._moved(event);
    this.full ||= event.visibility === "FULL" || event.text !== undefined || event.input !== undefined;
    switch (event.kind) {
      case "SKILLS_SELECTED":
        if (event.skills) this.selections.push(event); // a summary does not say which
        return null;
      case "check.criterion":
        this.criteria.push(event);
        this._seen(this._task(event), event);
        return this._new("line", event);
      case "check.finished":
        this.report = event.report ?? null;
        if (this._task(event)) Object.assign(this._task(event), { judged: true, waits: true });
        return this._new("line", event);
      case "run.finished":
        this.outcome = event.outcome ?? null;
        if (this.tasks.length) this.rounds.push({ number: 0, title: "", items: [] }); // it is no task's
        return this._new("line", event);
      case "model.replied":
        this._used(event);
        return this._new("thought", event);
      case "output.shown":
        return this._new("output", event);
      case "step.started":
        return this._begun(this._steps, event.step, "step", event);
      case "step.finished":
      case "step.skipped":
        return this._ended(this._steps, event.step, "step", event);
      case "loop.planned":
        for (const each of event.tasks ?? []) this._placed(each);
        this.tasks.sort((one, other) => one.line - other.line);
        return this._new("line", event);
      case "loop.task":
        Object.assign(this._planned(event.task ?? event.summary), { phase: "waiting", done: false, abreast: event.abreast ?? 1 });
        this.rounds.push({ number: 0, title: event.task ?? event.summary, items: [] });
        return null; // its heading says so
      case "loop.phase": {
        const task = this._planned(event.task ?? event.summary);
        Object.assign(task, { phase: event.phase ?? "", attempts: event.attempt ?? task.attempts });
        return this._new("line", event);
      }
      case "loop.recorded":
        Object.assign(this._planned(event.task ?? event.summary), {
          done: true, mark: event.mark ?? " ", attempts: event.attempts ?? 0, reason: event.reason ?? "", branch: event.branch ?? "", commit: event.commit ?? "",
        });
        return this._new("line", event);
      case "call.started":
        return this._begun(this._calls, event.call_id, "call", event);
      case "call.finished":
        return this._ended(this._calls, event.call_id, "call", event);
      case "question.asked":
        return this._begun(this._questions, event.id, "question", event);
      case "question.answered":
        return this._ended(this._questions, event.id, "question", event);
      case "agent.forked":
        this._hired(this._task(event), event);
        return this._begun(this.children, event.child, "child", event);
      case "loop.merged":
        if (this._task(event)) this._task(event).phase = "merge";
        return this._new("line", event);
      case "loop.paused":
        this.paused.set(event.task ?? "", event);
        return this._new("line", event);
      case "agent.joined":
        return this._ended(this.children, event.child, "child", event);
      default:
        return this._new("line", event);
    }
  }

  /** What an agent of a loop tells beside it; true where a task's card says so. */
  hear({ run, kind, summary }) {
    if (kind === "attempt.finished" && this.children.has(run)) {
      this.over.add(run);
      return true;
    }
    if (!summary || !/^(call|model|run\.warned)/.test(kind) || !this.children.has(run)) return false;
    this.said.set(run, [...(this.said.get(run) ?? []), summary].slice(-HEARD));
    return true;
  }

  /** What was said before anybody looked; what was heard since is newer. */
  recall(run, { summary, events, ended }) {
    if (ended) this.over.add(run);
    if (summary && events > 1 && !this.said.has(run)) this.said.set(run, [summary]);
  }

  /** How often an agent was asked; a review is no attempt. */
  attempts() {
    return [...this.children.values()].filter(({ event }) => !event.review).length;
  }

  /** The agents at work, by their runs. */
  atWork() {
    return [...this.children].filter(([, item]) => !item.end && item.event.task).map(([run]) => run);
  }

  /** Whether a task's agent or check is done, and it goes on only with those at work beside it. */
  waits({ abreast, waits, children }) {
    const last = children.at(-1)?.id;
    return abreast > 1 && (waits || (this.over.has(last) && !this.children.get(last)?.end));
  }

  /** Whatever else is told of a task, it waits no more. */
  _moved(event) {
    const task = this._task(event);
    if (task) task.waits = false;
    if (event.kind !== "loop.paused") this.paused.delete(event.task);
    if (event.kind === "agent.forked" || event.kind === "run.finished") this.paused.delete("");
  }

  /** A check tells its criteria anew. */
  _seen(task, event) {
    if (!task) return;
    if (task.judged) Object.assign(task, { criteria: [], judged: false });
    task.criteria.push(event);
  }

  /** What is told of a task stands with it, whatever is told between: several may be at work. */
  _round({ iteration: number, task }) {
    const of = task && this.rounds.findLast((round) => round.title === task);
    if (of) return of;
    const last = this.rounds.at(-1);
    if (last && (number === undefined || number === null || number <= last.number)) return last;
    const round = { number: number ?? 0, title: number ? `Iteration ${number}` : "", items: [] };
    this.rounds.push(round);
    return round;
  }

  /** Whether a task of this name, as a plan writes it, is done. */
  isDone(name) {
    const alike = (label) => label.trim().toLowerCase() === name.trim().toLowerCase();
    return this.tasks.some((task) => alike(task.label) && task.done && task.mark !== "~");
  }

  /** The task of a loop that is called so. */
  known(label) {
    return label && this.tasks.find((task) => task.label === label);
  }

  _task(event) {
    return this.known(event.task);
  }

  _hired(task, { child, skill = "", attempt = 0 }) {
    if (!task || !child) return;
    task.children.push({ id: child, agent: skill });
    if (attempt > task.attempts) task.criteria = []; // they were of the attempt before
    task.attempts = Math.max(task.attempts, attempt);
  }

  _placed({ task: label, line = 0, mark = " ", after = [] }) {
    const task = this._planned(label);
    Object.assign(task, { line, after });
    if (mark !== " ") Object.assign(task, { done: true, mark }); // by an earlier loop, or a person
  }

  _planned(label) {
    const known = this.known(label);
    if (known) return known;
    const made = { label, line: Infinity, phase: "", done: false, mark: " ", attempts: 0, reason: "", branch: "", commit: "", after: [], abreast: 1, waits: false, judged: false, criteria: [], children: [] };
    this.tasks.push(made);
    return made;
  }

  _new(kind, event) {
    const round = this._round(event);
    const item = { kind, event, end: null, key: `${event.run}/${event.seq}`, round };
    round.items.push(item);
    return item;
  }

  _begun(known, id, kind, event) {
    const item = this._new(kind, event);
    if (id) known.set(id, item);
    return item;
  }

  /** Where only summaries are seen, an end may come without its beginning. */
  _ended(known, id, kind, event) {
    const item = (id && known.get(id)) || this._begun(known, id, kind, event);
    item.end = event;
    return item;
  }

  _used(event) {
    if (!event.usage) return;
    const used = this.usage.get(event.model) ?? { requests: 0, input_tokens: 0, output_tokens: 0, cost: 0 };
    const { input_tokens: input = 0, output_tokens: output = 0, cost = null } = event.usage;
    this.usage.set(event.model, {
      requests: used.requests + 1,
      input_tokens: used.input_tokens + input,
      output_tokens: used.output_tokens + output,
      cost: used.cost === null || cost === null ? null : used.cost + cost,
    });
  }
}

/** Whether a summary of the run has this item. */
export function milestone(item) {
  const told = item.end ?? item.event;
  return (told.visibility ?? "SUMMARY") === "SUMMARY";
}
