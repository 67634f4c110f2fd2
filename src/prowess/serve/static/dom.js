// Making elements. Text is always put in as text: nothing that a run, a skill or a person wrote is
// ever read as HTML, because nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `on` are listeners, `data` are data-attributes; what is null or false is left out. */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, { on = {}, data = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, value] of Object.entries(data)) node.dataset[name] = value;
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  node.append(...nodes(children));
  return node;
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Put these in the place of all that was there. */
export function put(node, ...children) {
  node.replaceChildren(...nodes(children));
  return node;
}

/** The same for what is drawn again and again: whoever stood on a link or a button stands on its like. */
export function redraw(node, ...children) {
  const stood = node.contains(document.activeElement) && known(document.activeElement);
  put(node, ...children);
  if (!stood) return;
  const like = [...node.querySelectorAll("a, button, summary, select, input")].find((each) => known(each) === stood);
  like?.focus({ preventScroll: true });
}

function known(node) {
  return node.id || node.getAttribute("href") || node.getAttribute("aria-label") || node.textContent;
}

export function link(href, text, attributes = {}) {
  return el("a", { href, ...attributes }, text);
}

/** The address of a page of ours. */
export function to(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function button(text, click, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click } }, text);
}

/** A labelled field of a form. */
export function field(label, input, hint = "") {
  return el("label", { class: "field" }, el("span", { class: "field-name" }, label), input,
    hint && el("span", { class: "field-hint" }, hint));
}

/** Text in which `this` is meant to be typed or read letter for letter. */
export function marked(words) {
  return String(words).split(/`([^`\n]+)`/).map((piece, place) => (place % 2 ? el("code", {}, piece) : piece));
}

/** Words that can be typed: shown as such, and copied by a click. */
export function command(text) {
  const copy = button("Copy", async () => {
    await navigator.clipboard?.writeText(text);
    say("Copied");
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }, { class: "quiet small", "aria-label": `Copy ${text}` });
  return el("span", { class: "command" }, el("code", {}, text), copy);
}

/** What stands where there is nothing yet: what it would be, and what to do to get it. */
export function empty(title, ...lines) {
  return el("div", { class: "empty" }, el("p", { class: "empty-title" }, title),
    lines.map((line) => (line instanceof Node ? line : el("p", {}, marked(line)))));
}

/** Told to those who listen to the page. */
export function say(text) {
  document.getElementById("say").textContent = text;
}

/** Something went wrong: what, and what to do. Without an error, it is over. */
export function complain(error = null) {
  const place = document.getElementById("trouble");
  place.hidden = !error;
  if (error) {
    put(place, el("span", {}, el("strong", {}, marked(error.message)), error.hint && el("span", { class: "hint" }, " ", marked(error.hint))),
      button("Dismiss", () => complain(), { class: "quiet small" }));
  }
}

/** A listener that shows what goes wrong in it, and keeps its button from being pressed twice. */
export function guarded(work) {
  return async (event) => {
    const pressed = event?.submitter ?? event?.currentTarget;
    event?.preventDefault?.();
    if (pressed instanceof HTMLButtonElement) pressed.disabled = true;
    try {
      complain();
      await work(event);
    } catch (error) {
      complain(error);
    } finally {
      if (pressed instanceof HTMLButtonElement) pressed.disabled = false;
    }
  };
}
