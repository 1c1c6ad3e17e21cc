// Between the world (m, y up) and the canvas (CSS pixels, y down).

export class Camera {
  constructor() {
    this.x = 0; this.y = 0; this.scale = 60; this.width = 1; this.height = 1; this.version = 0; this.fitted = false;
  }
  resize(width, height) { this.width = width; this.height = height; this.version++; }
  screenX(x) { return this.width / 2 + (x - this.x) * this.scale; }
  screenY(y) { return this.height / 2 - (y - this.y) * this.scale; }
  worldX(u) { return this.x + (u - this.width / 2) / this.scale; }
  worldY(v) { return this.y - (v - this.height / 2) / this.scale; }
  pan(du, dv) { this.x -= du / this.scale; this.y += dv / this.scale; this.fitted = false; this.version++; }
  centre(x, y) { if (x !== this.x || y !== this.y) { this.x = x; this.y = y; this.version++; } }
  shows(box) {
    return this.screenX(box.x0) >= 0 && this.screenX(box.x1) <= this.width && this.screenY(box.y1) >= 56 && this.screenY(box.y0) <= this.height;
  }
  /** Zoom by a factor about a point of the canvas, which stays where it is. */
  zoom(factor, u = this.width / 2, v = this.height / 2) {
    const x = this.worldX(u), y = this.worldY(v);
    this.scale = Math.min(Math.max(this.scale * factor, 0.2), 5000);
    this.x = x - (u - this.width / 2) / this.scale;
    this.y = y + (v - this.height / 2) / this.scale;
    this.fitted = false;
    this.version++;
  }
  /** Show the rectangle, also when the canvas changes its size, until somebody moves the map. {x0, x1, y0, y1} with room around it and for the tools above. */
  fit(box) {
    if (!box) return;
    const top = 64, width = Math.max(box.x1 - box.x0, 0.5), height = Math.max(box.y1 - box.y0, 0.5);
    this.scale = Math.min(Math.max(Math.min((this.width - 32) / width, (this.height - top - 24) / height), 0.2), 400);
    this.x = (box.x0 + box.x1) / 2;
    this.y = (box.y0 + box.y1) / 2 + (top - 24) / 2 / this.scale;
    this.fitted = true;
    this.version++;
  }
}
