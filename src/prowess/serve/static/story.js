// A run's events put in order for reading: by iteration, each call with what came of it, and what was
// chosen, proven and handed to sub-agents besides. Nothing is drawn here.

/** An item is one thing that happened: `kind` says which, `event` is what it began with, `end` how it ended. */
export class Story {
  constructor() {
    this.rounds = []; // of `{number, title, items}`: an iteration, a task of a loop, or what came before
    this.tasks = []; // of a loop, each with its last phase and its mark
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
    this.full ||= event.visibility === "FULL" || event.text !== undefined || event.input !== undefined;
    switch (event.kind) {
      case "SKILLS_SELECTED":
        if (event.skills) this.selections.push(event); // a summary does not say which
        return null;
      case "check.criterion":
        this.criteria.push(event);
        return this._new("line", event);
      case "check.finished":
        this.report = event.report ?? null;
        return this._new("line", event);
      case "run.finished":
        this.outcome = event.outcome ?? null;
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
      case "loop.task":
        this.tasks.push({ label: event.task ?? event.summary, phase: "", mark: " ", attempts: 0, reason: "" });
        this.rounds.push({ number: 0, title: event.task ?? event.summary, items: [] });
        return this._new("line", event);
      case "loop.phase":
        Object.assign(this._task(event), { phase: event.phase ?? "", attempts: event.attempt ?? 0 });
        return this._new("line", event);
      case "loop.recorded":
        Object.assign(this._task(event), { phase: "", mark: event.mark ?? " ", attempts: event.attempts ?? 0, reason: event.reason ?? "" });
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
        return this._begun(this.children, event.child, "child", event);
      case "agent.joined":
        return this._ended(this.children, event.child, "child", event);
      default:
        return this._new("line", event);
    }
  }

  _round(number) {
    const last = this.rounds.at(-1);
    if (last && (number === undefined || number === null || number <= last.number)) return last;
    const round = { number: number ?? 0, title: number ? `Iteration ${number}` : "", items: [] };
    this.rounds.push(round);
    return round;
  }

  _task(event) {
    return this.tasks.findLast((task) => task.label === event.task) ?? this.tasks.at(-1) ?? {};
  }

  _new(kind, event) {
    const round = this._round(event.iteration);
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
