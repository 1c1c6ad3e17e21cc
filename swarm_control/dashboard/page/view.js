// Draws the map: floor, walls, and everything that moves on it.
import { Trails } from "./trails.js";
import { colours } from "./theme.js";
import { drawRobots, drawLabels } from "./robots_layer.js";
import { drawDetails, drawEverybody } from "./details_layer.js";

export class View {
  constructor(canvas, camera, model) {
    this.canvas = canvas; this.camera = camera; this.model = model; this.pen = canvas.getContext("2d");
    this.trails = new Trails();
    this.show = { trails: true, labels: false, arrows: false };
    this.walls = null; this.ghost = null; this.needed = true;
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  resize() {
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = Math.round(width * this.ratio); this.canvas.height = Math.round(height * this.ratio);
    this.camera.resize(width, height);
    if (this.camera.fitted) this.camera.fit(this.model.bounds());
    this.needed = true;
  }

  /** The walls as a picture, one pixel per cell. */
  paintWalls() {
    const map = this.model.map;
    this.painted = colours.wall;
    if (!map) { this.walls = null; return; }
    const canvas = document.createElement("canvas");
    canvas.width = map.columns; canvas.height = map.rows;
    const pen = canvas.getContext("2d"), image = pen.createImageData(map.columns, map.rows), ink = new Uint32Array(image.data.buffer);
    const [r, g, b] = colours.wall.match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16)), wall = (0xff << 24 | b << 16 | g << 8 | r) >>> 0;
    for (let i = 0; i < map.rows; i++)
      for (let j = 0, cell = i * map.columns; j < map.columns; j++, cell++)
        if (map.bits[cell >> 3] & (0x80 >> (cell & 7))) ink[(map.rows - 1 - i) * map.columns + j] = wall;
    pen.putImageData(image, 0, 0);
    this.walls = canvas;
  }

  draw(now) {
    const { pen, camera, model } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.drawFloor();
    if (!model.frame) return;
    this.drawRings();
    if (this.show.trails) this.trails.draw(pen, camera, this.ratio, now);
    this.drawGoals();
    drawDetails(pen, camera, model);
    this.drawFormation();
    drawRobots(pen, camera, model);
    drawEverybody(pen, camera, model, this.show.arrows);
    if (this.show.labels) drawLabels(pen, camera, model);
    if (this.ghost) this.drawGhost();
  }

  drawFloor() {
    const { pen, camera, model: { map } } = this;
    if (map && (this.painted !== colours.wall || this.paintedMap !== map)) { this.paintWalls(); this.paintedMap = map; }
    pen.fillStyle = map ? colours.outside : colours.floor;
    pen.fillRect(0, 0, camera.width, camera.height);
    const box = map && { u: camera.screenX(map.x), v: camera.screenY(map.y + map.rows * map.resolution), w: map.columns * map.resolution * camera.scale, h: map.rows * map.resolution * camera.scale };
    if (box) { pen.fillStyle = colours.floor; pen.fillRect(box.u, box.v, box.w, box.h); }
    this.drawGrid();
    if (box && this.walls) {
      pen.imageSmoothingEnabled = map.resolution * camera.scale < 1;
      pen.drawImage(this.walls, box.u, box.v, box.w, box.h);
    }
  }

  drawGrid() {
    const { pen, camera } = this, step = this.gridStep();
    pen.strokeStyle = colours.grid; pen.lineWidth = 1;
    pen.beginPath();
    for (let x = Math.ceil(camera.worldX(0) / step) * step; x < camera.worldX(camera.width); x += step) { const u = Math.round(camera.screenX(x)) + 0.5; pen.moveTo(u, 0); pen.lineTo(u, camera.height); }
    for (let y = Math.ceil(camera.worldY(camera.height) / step) * step; y < camera.worldY(0); y += step) { const v = Math.round(camera.screenY(y)) + 0.5; pen.moveTo(0, v); pen.lineTo(camera.width, v); }
    pen.stroke();
  }

  /** 1, 2 or 5 times a power of ten (m), at least 60 pixels. */
  gridStep() {
    const least = 60 / this.camera.scale, ten = 10 ** Math.floor(Math.log10(least));
    return ten * (least / ten <= 1 ? 1 : least / ten <= 2 ? 2 : least / ten <= 5 ? 5 : 10);
  }

  drawRings() {
    const { pen, camera, model: { frame: { rings } } } = this;
    if (!rings) return;
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 4]);
    for (let k = 0; k < rings.rows; k++) {
      const [x, y, radius, group] = rings.data.subarray(4 * k, 4 * k + 4);
      pen.strokeStyle = group >= 0 ? colours.groups[group % colours.groups.length] : colours.ring;
      pen.beginPath(); pen.arc(camera.screenX(x), camera.screenY(y), radius * camera.scale, 0, 2 * Math.PI); pen.stroke();
    }
    pen.setLineDash([]);
  }

  drawGoals() {
    const { pen, camera, model: { frame: { goals }, hello } } = this;
    pen.lineWidth = 1.5; pen.strokeStyle = colours.goal; pen.fillStyle = colours.goal;
    pen.globalAlpha = 0.35;
    for (const [x, y] of hello.goals) cross(pen, camera.screenX(x), camera.screenY(y), 5);
    pen.globalAlpha = 1;
    for (let k = 0; goals && k < goals.rows; k++) {
      const [x, y, radius, robot] = goals.data.subarray(4 * k, 4 * k + 4), u = camera.screenX(x), v = camera.screenY(y);
      if (robot >= 0) { pen.beginPath(); pen.arc(u, v, 3.5, 0, 2 * Math.PI); pen.stroke(); } else this.drawGoal(u, v, radius);
    }
  }

  drawGoal(u, v, radius) {
    const { pen, camera } = this;
    pen.beginPath(); pen.arc(u, v, 4, 0, 2 * Math.PI); pen.fill();
    pen.lineWidth = 2.5;
    pen.beginPath(); pen.arc(u, v, 11, 0, 2 * Math.PI); pen.stroke();
    if (radius > 0) {
      pen.lineWidth = 1.5; pen.setLineDash([6, 5]);
      pen.beginPath(); pen.arc(u, v, radius * camera.scale, 0, 2 * Math.PI); pen.stroke();
      pen.setLineDash([]);
    }
  }

  drawFormation() {
    const { pen, camera, model } = this, { targets, structure } = model.frame;
    pen.strokeStyle = pen.fillStyle = colours.target; pen.lineWidth = 1.2;
    for (let k = 0; targets && k < targets.rows; k++) {
      const [robot, x, y] = targets.data.subarray(3 * k, 3 * k + 3);
      if (x !== x) continue;
      const u = camera.screenX(x), v = camera.screenY(y);
      cross(pen, u, v, 6);
      if (model.known(robot)) { pen.beginPath(); pen.moveTo(u, v); pen.lineTo(camera.screenX(model.poses[4 * robot]), camera.screenY(model.poses[4 * robot + 1])); pen.stroke(); }
    }
    for (let k = 0; structure && k < structure.rows; k++) {
      const [x, y, yaw] = structure.data.subarray(4 * k, 4 * k + 3), u = camera.screenX(x), v = camera.screenY(y);
      pen.lineWidth = 2.5;
      pen.beginPath(); pen.arc(u, v, 7, 0, 2 * Math.PI); pen.moveTo(u, v); pen.lineTo(u + 26 * Math.cos(yaw), v - 26 * Math.sin(yaw)); pen.stroke();
    }
  }

  /** What is being dragged, where it would come to be. */
  drawGhost() {
    const { pen, camera, ghost } = this;
    pen.strokeStyle = ghost.robot >= 0 ? colours.pick : colours.goal; pen.lineWidth = 2.5; pen.setLineDash([4, 3]);
    pen.beginPath(); pen.arc(camera.screenX(ghost.x), camera.screenY(ghost.y), ghost.robot >= 0 ? Math.max(this.model.radius(ghost.robot) * camera.scale, 9) : 14, 0, 2 * Math.PI); pen.stroke();
    pen.setLineDash([]);
  }
}

function cross(pen, u, v, size) {
  pen.beginPath();
  pen.moveTo(u - size, v); pen.lineTo(u + size, v); pen.moveTo(u, v - size); pen.lineTo(u, v + size);
  pen.stroke();
}
