// What differs from the scenario's file, and saving of it.
import { $, make, notice } from "./dom.js";
import { tell } from "./parameters.js";

export function same(a, b) {
  return a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, k) => item === b[k]));
}

export class Differences {
  constructor(socket, panel) { this.socket = socket; this.panel = panel; this.dialog = $("differences"); this.boxes = new Map(); }

  get model() { return this.panel.model; }

  open() { this.shown = ""; this.refresh(true); if (!this.dialog.open) this.dialog.showModal(); }

  list() {
    const { values, file } = this.model;
    return Object.keys(values).filter((name) => file?.values && !same(values[name], file.values[name]));
  }

  refresh(opening = false) {
    if (!opening && !this.dialog.open) return;
    const names = this.list(), shown = JSON.stringify([names.map((name) => [name, this.model.values[name], this.model.file.values[name]]), this.model.file?.problem]);
    if (shown === this.shown) return;
    this.shown = shown;
    const touched = new Set(this.panel.history.map((step) => step.name));
    this.boxes = new Map(names.map((name) => [name, make("input", { type: "checkbox", checked: this.boxes.get(name)?.checked ?? (touched.has(name) || !touched.size), "aria-label": `save ${name}` })]));
    this.dialog.replaceChildren(...this.content(names));
  }

  content(names) {
    const { values, file, hello } = this.model;
    const rows = names.map((name) => make("tr", {}, make("td", {}, this.boxes.get(name)), make("td", {}, make("code", {}, name)), make("td", {}, tell(file.values[name])), make("td", {}, make("b", {}, tell(values[name])))));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...["Save", "Parameter", "In the file", "Now"].map((text) => make("th", {}, text)))), make("tbody", {}, ...rows));
    const nothing = make("p", {}, file?.problem ? `The file cannot be read: ${file.problem}` : "All parameters are as in the file.");
    return [
      make("h2", { tabindex: "-1", autofocus: "" }, "Compare with the file"), make("p", {}, make("code", {}, hello ? hello.file : "")), names.length ? table : nothing,
      make("div", { class: "buttons" },
        make("button", { click: () => this.dialog.close() }, "Close"),
        make("button", { disabled: !names.length, click: () => this.restore() }, "All as in the file"),
        make("button", { class: "main", id: "save", disabled: !names.length, click: () => this.save() }, "Save to the file")),
    ];
  }

  async save() {
    const names = [...this.boxes].filter(([, box]) => box.checked).map(([name]) => name);
    if (!names.length) { notice("Nothing is ticked.", true); return; }
    const answer = await this.socket.ask({ type: "save", names });
    notice(answer.text, !answer.ok);
    if (answer.ok) this.dialog.close();
  }

  async restore() {
    for (const name of this.list()) {
      const problem = await this.panel.change(name, this.model.file.values[name]);
      if (problem) notice(problem, true);
    }
  }
}
