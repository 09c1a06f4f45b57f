// Light or dark: what was chosen last, else what the system says. A preference, not state.
export function chosenTheme(): void {
  try {
    const chosen = new URLSearchParams(location.search).get("theme") ?? localStorage.getItem("theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser that keeps nothing shows what the system says.
  }
}

export function switchTheme(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
}
