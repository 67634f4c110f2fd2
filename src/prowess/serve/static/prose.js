// Markdown as it is read. The server takes it apart, and of its parts elements are made here, one by
// one and only those that are listed: no HTML is written and none is read, whoever wrote the text.

import { api } from "./api.js";
import { el, put } from "./dom.js";

// The page has its own first two levels of headings.
const TAGS = {
  h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6",
  ...Object.fromEntries("p ul ol li blockquote pre code em strong s a br hr table thead tbody tr th td".split(" ").map((tag) => [tag, tag])),
};
const LINK = /^(https?|mailto):/i;
const PLAIN = /^[\p{L}\p{N} .,;:!?'"()%$€/]*$/u; // one line in which nothing can mean more than it says
const LONGEST = 30_000; // characters that the server takes apart; a longer text stays as it is
const KEPT = 100;
const known = new Map(); // texts to their parts, because a page is drawn again and again

/** A text in its own lines at once, and as it was meant once the server has said how. */
export function prose(text) {
  const node = el("div", { class: "prose" }, el("p", {}, text));
  if (!PLAIN.test(text) && text.length <= LONGEST) fill(node, text);
  return node;
}

async function fill(node, text) {
  try {
    const { parts } = await taken(text);
    put(node, parts.map(drawn));
  } catch {
    known.delete(text); // what was written can be read as it is
  }
}

function taken(text) {
  if (!known.has(text)) {
    if (known.size >= KEPT) known.delete(known.keys().next().value);
    known.set(text, api.markdown(text));
  }
  return known.get(text);
}

function drawn(part) {
  if (typeof part === "string") return part;
  const inner = part.parts.map(drawn);
  const tag = Object.hasOwn(TAGS, part.tag) && TAGS[part.tag];
  if (!tag || (tag === "a" && !LINK.test(part.href))) return inner;
  return el(tag, attributes(tag, part), inner);
}

function attributes(tag, { href, start, align }) {
  if (tag === "a") return { href, target: "_blank", rel: "noopener noreferrer" };
  if (tag === "ol") return { start: Number(start) || null };
  if (tag === "pre") return { tabindex: 0 };
  return { class: align === "right" && "num" };
}
