// Light or dark: what the system says, until somebody presses the button.

const KEPT = "prowess.theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const WORDS = { system: "Auto", light: "Light", dark: "Dark" };

export function theme(button) {
  let chosen = localStorage.getItem(KEPT) ?? "system";
  const show = () => {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = WORDS[chosen] ?? WORDS.system;
    button.setAttribute("aria-label", `Colours: ${WORDS[chosen] ?? WORDS.system}`);
  };
  button.addEventListener("click", () => {
    chosen = NEXT[chosen] ?? "system";
    localStorage.setItem(KEPT, chosen);
    show();
  });
  show();
}
