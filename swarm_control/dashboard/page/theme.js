// Light and dark: as the system says until somebody chooses. Canvases read their colours here.

const NAMES = ["back", "panel", "line", "text", "soft", "accent", "floor", "wall", "grid", "outside", "goal", "leader", "robot", "pick", "seen", "view",
  "trail", "target", "ring", "lost", "warn", "bad"];
const GROUPS = { light: ["#1d4ed8", "#0e7490", "#15803d", "#a16207", "#7c3aed", "#be185d"], dark: ["#6ea8ff", "#5fd0e6", "#5ee08a", "#e6c35c", "#b794ff", "#ff8fc1"] };
const ARROWS = {
  light: ["#d1242f", "#0969da", "#1a7f37", "#9a5b00", "#8250df", "#0b7a85", "#bf3989", "#57606a"],
  dark: ["#ff7b72", "#79b8ff", "#56d364", "#f0b43c", "#c297ff", "#4fd1d9", "#ff8fd0", "#b1bac4"],
};
export const colours = {};
let listeners = [];

export function onTheme(listener) { listeners.push(listener); listener(); }

function chosen() {
  try { return localStorage.getItem("theme"); } catch { return null; }
}

function apply() {
  const dark = chosen() ? chosen() === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const style = getComputedStyle(document.documentElement);
  for (const name of NAMES) colours[name] = style.getPropertyValue(`--${name}`).trim();
  colours.groups = GROUPS[dark ? "dark" : "light"];
  colours.arrows = ARROWS[dark ? "dark" : "light"];
  for (const listener of listeners) listener();
}

export function switchTheme() {
  try { localStorage.setItem("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark"); } catch { return; }
  apply();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
apply();
