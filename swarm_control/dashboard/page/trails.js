// Where robots have been: rings of points per robot, drawn on a layer of their own to which each new point adds a line.
import { colours } from "./theme.js";

const EVERY = 0.2, POINTS = 40000, AGAIN = 1500;

export class Trails {
  constructor() { this.layer = document.createElement("canvas"); this.pen = this.layer.getContext("2d"); this.clear(0); }

  clear(robots) {
    this.robots = robots;
    this.length = Math.max(16, Math.min(120, Math.floor(POINTS / Math.max(robots, 1))));
    this.points = new Float32Array(2 * robots * this.length);
    this.count = 0; this.time = -Infinity; this.drawn = 0; this.view = -1;
  }

  /** Take note of poses (x, y, yaw, lost per robot) at a time. */
  add(poses, time) {
    if (poses.length / 4 !== this.robots || time < this.time - 0.001) this.clear(poses.length / 4);
    if (time < this.time + EVERY) return;
    this.time = time;
    const slot = this.count++ % this.length;
    for (let k = 0; k < this.robots; k++) {
      this.points[2 * (slot * this.robots + k)] = poses[4 * k + 3] ? NaN : poses[4 * k];
      this.points[2 * (slot * this.robots + k) + 1] = poses[4 * k + 3] ? NaN : poses[4 * k + 1];
    }
  }

  draw(target, camera, ratio, now) {
    const whole = this.view !== camera.version || now - this.whole > AGAIN || this.layer.width !== target.canvas.width || this.layer.height !== target.canvas.height || this.colour !== colours.trail;
    if (whole) {
      this.layer.width = target.canvas.width; this.layer.height = target.canvas.height;
      this.view = camera.version; this.whole = now; this.colour = colours.trail;
      this.drawn = Math.max(0, this.count - this.length);
    }
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.strokeStyle = colours.trail; this.pen.lineWidth = 1.3;
    for (; this.drawn + 1 < this.count; this.drawn++) this.segment(camera, this.drawn, whole ? (this.drawn - this.count + this.length) / this.length : 1);
    target.setTransform(1, 0, 0, 1, 0, 0);
    target.drawImage(this.layer, 0, 0);
    target.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  segment(camera, from, freshness) {
    const { pen, points, robots } = this, a = (from % this.length) * robots, b = ((from + 1) % this.length) * robots;
    pen.globalAlpha = 0.12 + 0.6 * freshness;
    pen.beginPath();
    for (let k = 0; k < robots; k++) {
      const x0 = points[2 * (a + k)], y0 = points[2 * (a + k) + 1], x1 = points[2 * (b + k)], y1 = points[2 * (b + k) + 1];
      if (x0 === x1 && y0 === y1) continue;
      const u0 = camera.screenX(x0), v0 = camera.screenY(y0), u1 = camera.screenX(x1), v1 = camera.screenY(y1);
      if (u0 === u0 && u1 === u1) { pen.moveTo(u0, v0); pen.lineTo(u1, v1); }
    }
    pen.stroke();
  }
}
