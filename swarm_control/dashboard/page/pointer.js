// Mouse, pen and fingers on the map: pan, zoom, pick, and dragging of goals and robots.

const NEAR = 16, STILL = 5, EVERY = 60;

export class Pointer {
  /** act: {pick(robot), goal(x, y), place(robot, x, y), changed()}. */
  constructor(view, act) {
    this.view = view; this.camera = view.camera; this.model = view.model; this.act = act;
    this.fingers = new Map(); this.drag = null; this.aiming = false; this.sent = 0;
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event, name === "pointercancel"));
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.camera.zoom(Math.exp(-0.0015 * event.deltaY * (event.deltaMode ? 30 : 1)), ...this.at(event)); this.act.changed(); }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  at(event) { const box = this.view.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; }

  /** The nearest robot within reach of a point of the canvas, −1: none. */
  robotAt(u, v) {
    let best = -1, least = Infinity;
    for (let k = 0; k < this.model.count; k++) {
      const d = Math.hypot(this.camera.screenX(this.model.poses[4 * k]) - u, this.camera.screenY(this.model.poses[4 * k + 1]) - v);
      if (d < least && d < Math.max(NEAR, this.model.radius(k) * this.camera.scale)) { best = k; least = d; }
    }
    return best;
  }

  goalAt(u, v) {
    const goal = this.model.frame && this.model.goal();
    return Boolean(goal) && Math.hypot(this.camera.screenX(goal.x) - u, this.camera.screenY(goal.y) - v) < NEAR + 4;
  }

  down(event) {
    const [u, v] = this.at(event);
    this.view.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [u, v]);
    if (this.fingers.size > 1) { this.drag = null; this.view.ghost = null; return; }
    const robot = this.robotAt(u, v), goal = this.goalAt(u, v);
    const own = robot >= 0 && robot === this.model.picked && this.model.simulated;
    const what = this.aiming ? "aim" : own ? "robot" : goal ? "goal" : "map";
    this.drag = { what, robot, u, v, moved: false };
  }

  move(event) {
    const [u, v] = this.at(event), before = this.fingers.get(event.pointerId);
    if (!before) { this.hint(u, v); return; }
    if (this.fingers.size === 2) this.pinch(event.pointerId, u, v);
    this.fingers.set(event.pointerId, [u, v]);
    if (!this.drag || this.fingers.size > 1) return;
    this.drag.moved ||= Math.hypot(u - this.drag.u, v - this.drag.v) > STILL;
    if (!this.drag.moved) return;
    if (this.drag.what === "map") { this.camera.pan(u - before[0], v - before[1]); this.view.canvas.classList.add("dragging"); } else this.carry(u, v, false);
    this.act.changed();
  }

  up(event, cancelled) {
    const [u, v] = this.at(event), drag = this.drag;
    this.fingers.delete(event.pointerId);
    this.view.canvas.classList.remove("dragging");
    if (this.fingers.size || !drag) return;
    this.drag = null; this.view.ghost = null;
    this.act.changed();
    if (cancelled) return;
    if (drag.what === "aim") this.act.goal(this.camera.worldX(u), this.camera.worldY(v));
    else if (drag.moved) { if (drag.what !== "map") this.carry(u, v, true, drag); } else this.act.pick(drag.robot);
  }

  /** A goal goes where it is let go; a robot goes along. */
  carry(u, v, last, drag = this.drag) {
    const x = this.camera.worldX(u), y = this.camera.worldY(v), now = performance.now();
    if (!last) this.view.ghost = { robot: drag.what === "robot" ? drag.robot : -1, x, y };
    if (drag.what === "robot" && (last || now - this.sent > EVERY)) { this.sent = now; this.act.place(drag.robot, x, y); }
    if (drag.what === "goal" && last) this.act.goal(x, y);
  }

  pinch(id, u, v) {
    const other = [...this.fingers].find(([key]) => key !== id)[1], [p, q] = this.fingers.get(id);
    const before = Math.hypot(p - other[0], q - other[1]), now = Math.hypot(u - other[0], v - other[1]);
    this.camera.pan((u - p) / 2, (v - q) / 2);
    if (before > 10) this.camera.zoom(now / before, (u + other[0]) / 2, (v + other[1]) / 2);
    this.act.changed();
  }

  hint(u, v) { this.view.canvas.classList.toggle("pointing", this.goalAt(u, v) || this.robotAt(u, v) >= 0); }
}
