// Keyboard shortcuts, and the list of them.
import { $, make } from "./dom.js";

const LIST = [
  ["S F8", "stop all robots (F8 also while typing); press the button to let go"], ["Space", "pause, go on"], [".", "one tick, while paused"], ["R", "reset"],
  ["← ↑ → ↓", "move the map"], ["+ −", "zoom"], ["F", "show everything"], ["C", "follow the picked robot, or the flock"],
  ["N P", "pick the next, the previous robot"], ["Esc", "pick none; leave a field"], ["G", "set the goal with the next click"],
  ["T L A", "trails, names, arrows of all robots"], ["1 2 3", "plots, parameters, robots"], ["/", "find a parameter"],
  ["Ctrl Z", "undo the last change of a parameter"], ["D", "light or dark"], ["?", "this list"],
];
const POINTING = [
  ["Drag", "moves the map"], ["Wheel, pinch", "zooms"], ["Click, tap", "picks a robot"], ["Drag the goal", "moves it"],
  ["Drag the picked robot", "puts it elsewhere, in the simulator"],
];

export function listenForKeys(actions) {
  addEventListener("keydown", (event) => {
    const field = event.target, dialog = document.querySelector("dialog[open]");
    const typing = field.matches?.("input[type=text], input[type=search], select, textarea");
    if (event.key === "F8") { event.preventDefault(); actions.s(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) { event.preventDefault(); actions.undo(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || typing || (dialog && event.key.toLowerCase() !== "s")) return;
    if ((event.key === " " || event.key === "Enter") && field.matches?.("button, summary, a, [role=tab], input")) return;
    if (event.key.startsWith("Arrow") && field.matches?.("input[type=range], [role=tab]")) return;
    const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (act) { event.preventDefault(); act(); }
  });
}

export function fillHelp() {
  const table = (items) => make("table", {}, ...items.map(([keys, text]) => make("tr", {}, make("td", {}, ...keys.split(keys.includes(",") || keys.startsWith("Drag") ? "|" : " ").flatMap((key) => [make("kbd", {}, key), " "])), make("td", {}, text))));
  const half = Math.ceil(LIST.length / 2), title = make("h2", { tabindex: "-1", autofocus: "" }, "Keyboard");
  $("shortcuts").append(title, make("div", { class: "columns" }, table(LIST.slice(0, half)), table(LIST.slice(half))), make("h2", {}, "Mouse and touch"), table(POINTING),
    make("div", { class: "buttons" }, make("button", { class: "main", click: () => $("shortcuts").close() }, "Close")));
}
