// What agents say while they are at work on a loop's tasks, each in a run of its own beside the loop's.

import { api } from "./api.js";
import { follow, gathered } from "./live.js";

/** `draw` whenever one is heard. */
export function overhear(page, after, draw) {
  const drawn = gathered(draw, 200, page.signal);
  follow("/api/events", {
    after,
    signal: page.signal,
    take: (events) => events.filter((event) => page.story.hear(event)).length && drawn(),
    last: (event) => event.kind === "run.finished" && event.run === page.view.id,
  });
}

/** What they said last before anybody looked, so that no card is empty until they speak again. */
export async function recall(page, draw) {
  const atWork = page.view.ended ? [] : page.story.atWork();
  // One that was only just sent has told nothing, and is not there yet.
  const seen = await Promise.all(atWork.map((id) => api.run(id).catch(() => null)));
  if (page.signal.aborted) return;
  seen.filter(Boolean).forEach((view) => page.story.recall(view.id, view));
  if (atWork.length) draw();
}
