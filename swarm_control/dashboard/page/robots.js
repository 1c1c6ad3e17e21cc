// The list of robots and nodes, and the card of the picked robot.
import { $, make, setText, tidy } from "./dom.js";
import { FALLEN, LEADER, VALID } from "./frames.js";
import { behaviourColour } from "./details_layer.js";

const MOST = 1000;

export class Robots {
  constructor(model, pick) {
    this.model = model; this.pick = pick; this.rows = []; this.drawn = 0; this.names = null;
    this.nodes = make("tbody");
    this.body = make("tbody", { click: (event) => { const row = event.target.closest("tr"); if (row) pick(Number(row.dataset.robot)); } });
    $("robots").append(
      make("h2", {}, "Nodes"), make("table", {}, make("tbody", {}), this.nodes), this.title = make("h2", {}, "Robots"),
      make("table", {}, make("thead", {}, make("tr", {}, ...["Name", "x, m", "y, m", "heading, °", "speed, m/s"].map((text) => make("th", {}, text)))), this.body));
  }

  build() {
    const { hello } = this.model;
    if (this.names === hello.names) return;
    this.names = hello.names;
    this.rows = hello.names.slice(0, MOST).map((name, k) => {
      const cells = [name, "–", "–", "–", "–"].map((text) => make("td", {}, text));
      const row = make("tr", { tabindex: "0", keydown: (event) => { if (event.key === "Enter") this.pick(k); } }, ...cells);
      row.dataset.robot = k;
      return { row, cells };
    });
    this.body.replaceChildren(...this.rows.map(({ row }) => row));
    const more = hello.names.length > MOST ? `, of which the first ${MOST} are listed` : "";
    setText(this.title, `Robots (${hello.names.length}${more})`);
  }

  draw(now) {
    const { frame } = this.model;
    if (!frame || now - this.drawn < 200) return;
    this.drawn = now;
    this.drawCard();
    if ($("robots").hidden) return;
    const box = $("robots").getBoundingClientRect(), { data, columns } = frame.robots;
    this.rows.forEach(({ row, cells }, k) => {
      row.classList.toggle("picked", k === this.model.picked);
      const { top, bottom } = k % 8 ? this.near : this.near = row.getBoundingClientRect();
      if (bottom < box.top - 400 || top > box.bottom + 400) return;
      const at = k * columns, valid = data[at + 6] & VALID;
      setText(cells[0], this.names[k] + (data[at + 6] & LEADER ? " ★" : "") + (data[at + 6] & FALLEN ? " ✖ fallen" : ""));
      [1, 2].forEach((c) => setText(cells[c], valid ? data[at + c - 1].toFixed(2) : "–"));
      setText(cells[3], valid ? degrees(data[at + 2]) : "–");
      setText(cells[4], valid ? Math.hypot(data[at + 3], data[at + 4]).toFixed(2) : "not heard");
    });
  }

  drawNodes() {
    const { status } = this.model;
    const rows = Object.entries(status.nodes).sort().map(([name, { state, values, silent }]) => {
      const gone = silent > 3, rate = values.ticks_per_second ?? values.frames_per_second;
      const said = [gone ? `silent for ${silent.toFixed(0)} s` : state, rate && !gone ? `${rate} Hz` : "", values.held ? `held: ${values.held}` : "", values.failed ? `failed: ${values.failed}` : "", values.lying ? `fallen: ${values.lying}` : "", values.problem || ""];
      return make("tr", {}, make("td", {}, name.replace(/^\/swarm\//, "")), make("td", { class: "words" }, said.filter(Boolean).join(" · ")));
    });
    this.nodes.replaceChildren(...rows);
  }

  drawCard() {
    const { model } = this, k = model.picked, card = $("card");
    card.hidden = !model.frame || (k < 0 && !this.legend);
    if (card.hidden) return;
    if (k < 0) { this.drawLegend(card); return; }
    if (this.shown !== k) {
      this.shown = k;
      this.facts = make("dl"); this.wishes = make("dl");
      card.replaceChildren(make("h2", {}, model.hello.names[k], make("button", { "aria-label": "Close", click: () => this.pick(-1) }, "×")), this.facts, this.heading = make("h3", {}, "Wants, m/s²"), this.wishes);
    }
    const { data, columns } = model.frame.robots, at = k * columns, seen = model.frame.neighbours;
    let count = 0;
    for (let row = 0; seen && row < seen.rows; row++) count += seen.data[4 * row] === k && seen.data[4 * row + 1] !== k;
    const valid = data[at + 6] & VALID;
    list(this.facts, [
      ["model", model.hello.models[k] + (model.hello.groups[k] ? `, ${model.hello.groups[k]}` : "")], ["place", valid ? `${data[at].toFixed(2)}, ${data[at + 1].toFixed(2)} m` : "not heard"],
      ["speed", valid ? `${Math.hypot(data[at + 3], data[at + 4]).toFixed(2)} m/s` : "–"], ["neighbours", seen ? String(count) : "–"], ...(data[at + 6] & LEADER ? [["role", "leader"]] : []), ...(data[at + 6] & FALLEN ? [["state", "fallen"]] : []),
    ]);
    this.drawWishes(k);
  }

  /** What the colours of everybody's arrows mean. */
  drawLegend(card) {
    if (this.shown !== -1) { this.shown = -1; this.wishes = make("dl"); card.replaceChildren(make("h3", {}, "What robots want"), this.wishes); }
    list(this.wishes, [["all together", "", behaviourColour(-1)], ...this.model.behaviours.map((name, k) => [name.replaceAll("_", " "), "", behaviourColour(k)])]);
  }

  drawWishes(k) {
    const { arrows } = this.model.frame, { behaviours } = this.model, found = [];
    for (let row = 0; arrows && row < arrows.rows; row++) {
      if (arrows.data[4 * row] !== k) continue;
      const number = arrows.data[4 * row + 1], size = Math.hypot(arrows.data[4 * row + 2], arrows.data[4 * row + 3]);
      found.push([number < 0 ? "all together" : (behaviours[number] || "").replaceAll("_", " "), size.toFixed(2), behaviourColour(number)]);
    }
    this.heading.hidden = !found.length;
    list(this.wishes, found);
  }
}

function degrees(angle) { return (Math.atan2(Math.sin(angle), Math.cos(angle)) * 180 / Math.PI).toFixed(0); }

/** Names and values; the third is the colour of a swatch. */
function list(place, items) {
  while (place.children.length > 2 * items.length) place.lastChild.remove();
  while (place.children.length < 2 * items.length) place.append(make("dt", {}, make("span"), make("span")), make("dd"));
  items.forEach(([name, value, colour], k) => {
    const dt = place.children[2 * k];
    dt.firstChild.className = colour ? "swatch" : "";
    dt.firstChild.style.background = colour || "";
    setText(dt.lastChild, name);
    setText(place.children[2 * k + 1], value);
  });
}
