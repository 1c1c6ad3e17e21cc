// What the page knows of the swarm.
import { VALID } from "./frames.js";

export class Model {
  constructor() {
    this.hello = null; this.frame = null; this.map = null; this.status = null; this.values = {}; this.file = null; this.behaviours = [];
    this.picked = -1; this.poses = new Float32Array(0); this.groups = []; this.frames = 0; this.version = 0;
  }
  introduce(hello) {
    const same = this.hello && this.hello.names.length === hello.names.length;
    this.hello = hello;
    const kinds = [...new Set(hello.groups)];
    this.groups = hello.groups.map((group) => kinds.indexOf(group));
    if (!same) { this.poses = new Float32Array(4 * hello.names.length).fill(NaN); this.picked = -1; }
    this.version++;
  }
  /** Poses x, y, yaw, age of all robots; of a robot that is not heard the last one stays, and it counts as lost. */
  show(frame) {
    this.frame = frame; this.frames++; this.version++;
    const { rows, columns, data } = frame.robots;
    if (this.poses.length !== 4 * rows) this.poses = new Float32Array(4 * rows).fill(NaN);
    for (let k = 0; k < rows; k++) {
      const at = k * columns, lost = !(data[at + 6] & VALID);
      if (!lost) { this.poses[4 * k] = data[at]; this.poses[4 * k + 1] = data[at + 1]; this.poses[4 * k + 2] = data[at + 2]; }
      this.poses[4 * k + 3] = lost ? 1 : 0;
    }
  }
  get count() { return this.hello ? this.hello.names.length : 0; }
  radius(k) { return this.hello ? this.hello.radius[k] : 0.1; }
  flags(k) { const t = this.frame && this.frame.robots; return t && k < t.rows ? t.data[k * t.columns + 6] : 0; }
  known(k) { return Number.isFinite(this.poses[4 * k]); }
  goal() { const t = this.frame && this.frame.goals; return t && t.rows && t.data[3] < 0 ? { x: t.data[0], y: t.data[1], radius: t.data[2] } : null; }
  node(name) { return this.status ? this.status.nodes[`/swarm/${name}`] : undefined; }
  get stopped() { return Boolean(this.status && this.status.stopped); }
  get paused() { return this.node("simulator")?.state === "paused"; }
  get simulated() { return Boolean(this.status && this.status.simulator); }
  /** The rectangle around the map, or around robots and goals in open space. */
  bounds() {
    if (this.map) return { x0: this.map.x, x1: this.map.x + this.map.columns * this.map.resolution, y0: this.map.y, y1: this.map.y + this.map.rows * this.map.resolution };
    return this.flock(true);
  }
  flock(withGoal = false) {
    const box = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    const add = (x, y, r) => { box.x0 = Math.min(box.x0, x - r); box.x1 = Math.max(box.x1, x + r); box.y0 = Math.min(box.y0, y - r); box.y1 = Math.max(box.y1, y + r); };
    for (let k = 0; k < this.count; k++) if (this.known(k)) add(this.poses[4 * k], this.poses[4 * k + 1], 4 * this.radius(k));
    if (box.x0 === Infinity) return null;
    const goal = this.goal(), near = 30 + 4 * (box.x1 - box.x0), [x, y] = [box.x0, box.y0];
    for (const [p, q] of withGoal ? [...this.hello.goals, ...(goal ? [[goal.x, goal.y]] : [])] : []) if (Math.hypot(p - x, q - y) < near) add(p, q, 0.5);
    return box;
  }
}
