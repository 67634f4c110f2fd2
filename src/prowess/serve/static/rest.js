// What this server can be asked by a program, as it says itself: the page asks the same.

import { api, token } from "./api.js";
import { command, el, marked, put } from "./dom.js";
import { section, table } from "./parts.js";

const COLUMNS = [["Request"], ["What it does", "wide"]];

export async function rest(main, { signal }) {
  const { paths } = await api.openapi();
  if (signal.aborted) return;
  const asked = Object.entries(paths).flatMap(([path, ways]) =>
    Object.entries(ways).map(([way, told]) => ({ path, way: way.toUpperCase(), tag: told.tags?.[0] ?? "", about: about(told) })));
  const tags = [...new Set(asked.map((each) => each.tag))];
  put(main, el("h1", {}, "REST"),
    el("p", { class: "lead" }, "What this page shows and does, a program can ask for as well. All of it, with what goes in and what comes out, is in the OpenAPI:"),
    el("p", {}, command(openapi())),
    tags.map((tag) => section(tag || "others", table(`Requests about ${tag || "others"}`, COLUMNS,
      asked.filter((each) => each.tag === tag).map((each) => [el("code", {}, `${each.way} ${each.path}`), el("span", {}, marked(each.about))])))));
}

/** The first sentence says it. */
function about({ description = "", summary = "" }) {
  return (description || summary).split(/\n\n|(?<=\.)\s/)[0];
}

function openapi() {
  const known = token.get() ? '-H "Authorization: Bearer TOKEN" ' : "";
  return `curl ${known}${location.origin}/openapi.json`;
}
