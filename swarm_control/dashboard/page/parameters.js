// Controls for every parameter, made from its declaration: name, unit, bounds, help.
import { $, make, notice, setText, tidy } from "./dom.js";
import { Differences, same } from "./differences.js";

const EVERY = 120, MERGE = 1500;

export class Parameters {
  constructor(socket, model) {
    this.socket = socket; this.model = model; this.rows = new Map(); this.history = [];
    this.differences = new Differences(socket, this);
    $("search").addEventListener("input", () => this.filter());
    $("undo").addEventListener("click", () => this.undo());
    $("compare").addEventListener("click", () => this.differences.open());
  }

  /** Make the controls anew; groups that were open stay open. */
  build(declarations) {
    const text = JSON.stringify(declarations);
    if (text === this.built) return;
    this.built = text; this.rows.clear();
    const groups = new Map();
    for (const declared of declarations) {
      const [group, ...rest] = declared.name.split(".");
      const key = rest.length ? group : "general";
      if (!groups.has(key)) groups.set(key, make("details", { id: `group-${key}` }, make("summary", {}, key.replaceAll("_", " "), make("small"))));
      const row = new Row(declared, rest.join(".") || group, this);
      this.rows.set(declared.name, row);
      groups.get(key).append(row.element);
    }
    $("groups").replaceChildren(...groups.values());
    this.filter();
  }

  filter() {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const group of $("groups").children) {
      let any = false;
      for (const element of group.querySelectorAll(".parameter")) {
        const hit = words.every((word) => element.dataset.words.includes(word));
        element.hidden = !hit; any ||= hit;
      }
      group.hidden = !any;
      if (words.length) { if (group.dataset.was === undefined) group.dataset.was = group.open ? "1" : ""; group.open = any; }
      else if (group.dataset.was !== undefined) { group.open = Boolean(group.dataset.was); delete group.dataset.was; }
    }
  }

  /** New values have come from the nodes or from the file. */
  refresh() {
    for (const [name, row] of this.rows) row.refresh(this.model.values[name], this.model.file?.values?.[name]);
    for (const group of $("groups").children) {
      const weight = this.model.values[`${group.id.slice(6)}.weight`], enabled = this.model.values[`${group.id.slice(6)}.enabled`];
      const changed = group.querySelectorAll(".parameter.changed").length;
      const state = weight === 0 || enabled === false ? "off" : weight !== undefined ? `weight ${tidy(weight)}` : "";
      setText(group.querySelector("small"), [state, changed ? `${changed} differ${changed === 1 ? "s" : ""} from the file` : ""].filter(Boolean).join(" · "));
    }
    $("undo").disabled = !this.history.length;
    this.differences.refresh();
  }

  /** Change a parameter; steps of one movement of a slider are undone at once. Resolves to what was wrong, or nothing. */
  async change(name, value, remember = true) {
    const before = this.model.values[name], last = this.history.at(-1), now = performance.now();
    if (same(before, value)) return "";
    const merges = remember && last && last.name === name && now - last.at < MERGE;
    if (merges) last.at = now;
    const answer = await this.socket.ask({ type: "set", changes: { [name]: value } });
    if (!answer.ok) return answer.text || "refused";
    if (remember && !merges) this.history.push({ name, before, at: now });
    this.model.values[name] = value;
    this.refresh();
    return "";
  }

  async undo() {
    const last = this.history.pop();
    if (!last) return;
    const problem = await this.change(last.name, last.before, false);
    if (problem) { this.history.push(last); notice(problem, true); } else notice(`${last.name} is ${tell(last.before)} again`);
    this.refresh();
  }
}

export function tell(value) {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}

/** One parameter: label, field, and a slider where it is a number. */
class Row {
  constructor(declared, label, panel) {
    this.declared = declared; this.panel = panel; this.sent = 0; this.timer = 0;
    const { name, unit, help, fixed, kind } = declared, id = `p-${name}`;
    this.field = this.makeField(id);
    this.field.disabled = fixed;
    this.slider = (kind === "number" || kind === "integer") && !fixed ? make("input", { type: "range", "aria-label": `${name}, slider`, input: () => this.slide(), change: () => this.slide(true) }) : null;
    this.back = make("button", { class: "back", "aria-label": `Set ${name} back to the file's value`, click: () => this.send(this.inFile) }, "↺");
    this.problem = make("p", { class: "problem", hidden: true });
    const head = make("div", { class: "head" }, make("label", { for: id, title: name }, label.replaceAll("_", " ")), this.back, this.field, make("span", { class: "unit" }, unit));
    this.element = make("div", { class: kind === "list" ? "parameter wide" : "parameter" }, head, ...(this.slider ? [this.slider] : []), make("p", {}, fixed ? `${help}; fixed while it runs` : help), this.problem);
    this.element.dataset.words = `${name} ${name.replaceAll("_", " ")} ${help} ${unit}`.toLowerCase();
    this.element.dataset.name = name;
  }

  makeField(id) {
    const { kind, choices, name, expected } = this.declared;
    if (kind === "boolean") return make("input", { id, type: "checkbox", change: () => this.send(this.field.checked) });
    if (choices.length && kind !== "list") return make("select", { id, change: () => this.send(this.field.value) }, ...choices.map((choice) => make("option", {}, choice)));
    return make("input", {
      id, type: "text", inputmode: kind === "list" || kind === "text" ? "text" : "decimal", autocomplete: "off", title: `${name}: ${expected}`,
      change: () => this.send(this.read()), keydown: (event) => { if (event.key === "Escape") { this.say(""); this.write(); this.field.blur(); } },
    });
  }

  /** What has been typed; what is no number is sent as it is, so that the answer says what was expected. */
  read() {
    const { kind, item } = this.declared, text = this.field.value.trim();
    const number = (part) => part !== "" && Number.isFinite(Number(part.replace(",", "."))) ? Number(part.replace(",", ".")) : part;
    if (kind === "text") return text;
    if (kind !== "list") return number(text);
    if (item === "mapping") return text.match(/\{[^{}]*\}/g) ?? (text ? [text] : []);
    const parts = text.replace(/^\[|\]$/g, "").split(",").map((part) => part.trim()).filter(Boolean);
    return item === "text" || this.declared.choices.length ? parts : parts.map((part) => Number.isFinite(Number(part)) ? Number(part) : part);
  }

  slide(last = false) {
    const value = Number(this.slider.value);
    this.field.value = tidy(value, 6);
    clearTimeout(this.timer);
    const wait = last ? 0 : this.sent + EVERY - performance.now();
    if (wait > 0) this.timer = setTimeout(() => this.slide(), wait); else { this.sent = performance.now(); this.send(value); }
  }

  async send(value) {
    this.waiting = (this.waiting || 0) + 1;
    const problem = await this.panel.change(this.declared.name, value);
    this.waiting--;
    this.say(problem);
    if (!problem && !this.waiting) this.write();
  }

  say(problem) {
    this.problem.hidden = !problem;
    setText(this.problem, problem);
    this.field.toggleAttribute("aria-invalid", Boolean(problem));
  }

  refresh(value, inFile) {
    this.inFile = inFile;
    this.element.classList.toggle("changed", inFile !== undefined && value !== undefined && !same(value, inFile));
    this.back.title = inFile === undefined ? "" : `Back to the file's ${tell(inFile)}`;
    if (same(this.value, value)) return;
    this.value = value;
    const typing = document.activeElement === this.field && this.field.type === "text";
    if (!typing && !this.waiting && this.problem.hidden) this.write();
  }

  write() {
    const value = this.panel.model.values[this.declared.name];
    if (value === undefined) return;
    if (this.field.type === "checkbox") this.field.checked = value;
    else this.field.value = Array.isArray(value) ? value.join(", ") : String(value);
    if (this.slider) this.fitSlider(value);
  }

  /** Bounds of the slider: those declared where they are near, else room around value and default. */
  fitSlider(value) {
    const { low, high, kind } = this.declared, usual = this.declared.default;
    const size = Math.max(Math.abs(value), Math.abs(usual), kind === "integer" ? 5 : 0), near = 4 * (size || 0.25);
    const top = high !== null && high <= Math.max(2.5 * near, 1) ? high : near, bottom = low !== null && low >= -near ? low : -near;
    if (this.top === undefined || value > this.top || value < this.bottom) { this.top = Math.max(top, value); this.bottom = Math.min(bottom, value); }
    const step = kind === "integer" ? 1 : 10 ** Math.floor(Math.log10((this.top - this.bottom) / 150));
    this.slider.min = this.bottom - (kind === "integer" ? 0 : (this.bottom % step)); this.slider.max = this.top; this.slider.step = step;
    this.slider.value = value;
  }
}
