// The top bar: time, and the simulator's buttons.
import { $, make, notice, setText } from "./dom.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

export class Bar {
  constructor(socket, model) {
    this.socket = socket; this.model = model;
    $("speed").append(...SPEEDS.map((speed) => make("option", { value: String(speed) }, `${speed}×`)));
    $("speed").value = "1";
    $("pause").addEventListener("click", () => this.pause());
    $("step").addEventListener("click", () => this.ask({ type: "step" }));
    $("reset").addEventListener("click", () => this.reset());
    $("speed").addEventListener("change", () => this.ask({ type: "speed", value: Number($("speed").value) }));
    this.refresh();
  }

  async ask(message) {
    const answer = await this.socket.ask(message);
    if (!answer.ok) notice(answer.text, true);
    return answer.ok;
  }

  async pause() {
    const on = !this.model.paused;
    if (await this.ask({ type: "pause", on })) { const node = this.model.node("simulator"); if (node) node.state = on ? "paused" : "running"; this.refresh(); }
  }

  async reset() { if (await this.ask({ type: "reset" })) notice("All robots are back at the start."); }

  refresh() {
    const { model } = this, simulated = model.simulated;
    for (const id of ["pause", "step", "speed", "reset"]) { $(id).disabled = !simulated || (id === "step" && !model.paused); }
    setText($("pause"), model.paused ? "Go on" : "Pause");
    $("pause").setAttribute("aria-pressed", String(model.paused));
    const waiting = model.node("simulator")?.state?.startsWith("waiting");
    setText($("situation"), model.stopped ? "STOPPED" : model.paused ? "paused" : waiting ? "waiting for the nodes" : "");
    const speed = Number(model.node("simulator")?.values.speed);
    if (speed && document.activeElement !== $("speed")) this.showSpeed(speed);
  }

  showSpeed(speed) {
    if (![...$("speed").options].some((option) => Number(option.value) === speed)) $("speed").append(make("option", { value: String(speed) }, `${speed}×`));
    $("speed").value = String(speed);
  }

  draw(frame, names) {
    setText($("time"), frame.time.toFixed(1));
    const factor = frame.metrics ? frame.metrics.data[names.indexOf("real_time_factor")] : NaN;
    setText($("factor"), Number.isFinite(factor) ? factor.toFixed(2) : "–");
  }
}
