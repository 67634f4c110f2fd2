// Starting a run from anywhere.

import { api } from "./api.js";
import { button, el, field, guarded, to } from "./dom.js";

const MODELS = ["demo", "haiku", "sonnet", "opus"];

/** `skill`, `task` and `model` fill the form in. */
export async function startRun({ me, skill = "", task = "", model = "" }) {
  if (document.querySelector("dialog[open]")) return;
  const names = el("datalist", { id: "skill-names" });
  const models = el("datalist", { id: "model-names" }, MODELS.map((name) => el("option", { value: name })));
  const chosen = el("input", { name: "skill", list: "skill-names", required: true, value: skill, autocomplete: "off", spellcheck: "false" });
  const words = el("textarea", { name: "arguments", rows: 3, value: task });
  const with_ = el("input", { name: "model", list: "model-names", value: model, autocomplete: "off", spellcheck: "false", placeholder: "the skill's own, or yours" });
  const asks = el("input", { type: "checkbox", name: "ask" });
  const allow = el("input", { name: "allow", autocomplete: "off", spellcheck: "false", placeholder: "Bash(git log:*) Read" });
  const most = el("input", { name: "max_iterations", type: "number", min: 1, max: 1000 });
  const wrong = el("p", { class: "wrong", role: "alert" });
  const dialog = el("dialog", { class: "card", "aria-labelledby": "start-title", on: { close: () => dialog.remove() } });
  const developer = me && me.role !== "END_USER";

  const begin = guarded(async () => {
    wrong.textContent = "";
    try {
      const { run } = await api.start({
        skill: chosen.value.trim(),
        arguments: words.value,
        model: with_.value.trim() || null,
        answers: true,
        ask: asks.checked,
        allow: rules(allow.value),
        max_iterations: most.value ? Number(most.value) : null,
      });
      dialog.close();
      location.hash = to("runs", run);
    } catch (error) {
      wrong.textContent = [error.message, error.hint].filter(Boolean).join(" – ");
    }
  });

  dialog.append(el("form", { method: "dialog", on: { submit: begin } },
    el("h2", { id: "start-title" }, "Start a run"),
    field("Skill", chosen),
    field("What it is to do", words, "Its arguments: a file, a question, a task in your words."),
    field("Model", with_, "Workflows need none. demo needs no key, and plays only skills that bring a script along."),
    developer && el("details", {}, el("summary", {}, "More"),
      el("label", { class: "check" }, asks, "Ask me about what no rule grants"),
      field("Also allow, in this run only", allow),
      field("At most this many iterations", most)),
    wrong,
    el("div", { class: "row end" }, button("Cancel", () => dialog.close()), el("button", { class: "primary" }, "Start")),
  ), names, models);
  document.body.append(dialog);
  dialog.showModal();
  (skill ? words : chosen).focus();
  const known = await api.skills().catch(() => []);
  names.append(...known.map((each) => el("option", { value: each.id }, each.description)));
}

/** Rules are parted by blanks that stand outside brackets. */
function rules(text) {
  return text.match(/[^\s(]+(\([^)]*\))?/g) ?? [];
}
