// Curves of the last minute of the swarm's time.
import { make, setText, tidy } from "./dom.js";
import { colours } from "./theme.js";

const LENGTH = 2400, SPAN = 60, EVERY = 100;
const PLOTS = [
  { metric: "order", title: "Order (polarization)", unit: "", low: 0, high: 1 },
  { metric: "gap", title: "Minimum gap", unit: "m", low: 0 },
  { metric: "collisions", title: "Collisions", unit: "", low: 0, least: 1, digits: 0, absent: "unknown" },
  { metric: "formation_error", title: "Formation error", unit: "mm", scale: 1000, low: 0, least: 1, digits: 2, absent: "no formation" },
  { metric: "speed", title: "Mean speed", unit: "m/s", low: 0 },
  { metric: "lateness", title: "Tick lateness", unit: "ms", scale: 1000, low: 0, least: 5, digits: 1 },
];

export class Plots {
  constructor(place) {
    this.place = place; this.times = new Float64Array(LENGTH); this.drawn = 0;
    this.plots = PLOTS.map((plot) => {
      const value = make("span"), canvas = make("canvas", { role: "img", "aria-label": plot.title });
      place.append(make("div", { class: "plot" }, make("h2", {}, plot.title, value), canvas));
      const made = { ...plot, value, canvas, data: new Float32Array(LENGTH), hover: null };
      canvas.addEventListener("pointermove", (event) => { made.hover = event.offsetX; this.drawn = 0; });
      canvas.addEventListener("pointerleave", () => { made.hover = null; this.drawn = 0; });
      return made;
    });
    this.clear();
  }

  clear() { this.count = 0; this.last = -Infinity; }

  /** Take note of a frame; metrics are in the order of names. */
  add(frame, names) {
    if (frame.time < this.last - 0.001) this.clear();
    if (!frame.metrics || frame.time <= this.last) return;
    this.last = frame.time;
    const slot = this.count++ % LENGTH;
    this.times[slot] = frame.time;
    for (const plot of this.plots) plot.data[slot] = frame.metrics.data[names.indexOf(plot.metric)] * (plot.scale || 1);
  }

  draw(now) {
    if (this.place.hidden || now - this.drawn < EVERY) return;
    this.drawn = now;
    for (const plot of this.plots) this.drawPlot(plot);
  }

  drawPlot(plot) {
    const ratio = Math.min(devicePixelRatio || 1, 2), width = plot.canvas.clientWidth, height = plot.canvas.clientHeight;
    if (plot.canvas.width !== Math.round(width * ratio)) plot.canvas.width = Math.round(width * ratio);
    if (plot.canvas.height !== Math.round(height * ratio)) plot.canvas.height = Math.round(height * ratio);
    const pen = plot.canvas.getContext("2d"), left = 44, bottom = height - 17;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const first = Math.max(0, this.count - LENGTH), latest = this.count ? plot.data[(this.count - 1) % LENGTH] : NaN;
    const [low, high] = this.range(plot, first), t1 = Math.max(this.last, SPAN), t0 = t1 - SPAN;
    const u = (t) => left + (t - t0) / SPAN * (width - left - 4), v = (value) => bottom - 3 - (value - low) / (high - low) * (bottom - 9);
    this.drawAxes(pen, plot, width, left, bottom, low, high, t0, t1, u, v);
    pen.strokeStyle = colours.accent; pen.lineWidth = 1.6; pen.lineJoin = "round";
    pen.beginPath();
    let down = false;
    for (let k = first; k < this.count; k++) {
      const t = this.times[k % LENGTH], value = plot.data[k % LENGTH];
      if (t < t0 || value !== value) { down = false; continue; }
      if (down) pen.lineTo(u(t), v(value)); else pen.moveTo(u(t), v(value));
      down = true;
    }
    pen.stroke();
    setText(plot.value, this.reading(plot, latest, t0, left, width, pen, bottom, u, v));
  }

  /** The value under the pointer, else the latest. */
  reading(plot, latest, t0, left, width, pen, bottom, u, v) {
    const say = (value) => Number.isFinite(value) ? `${tidy(value, plot.digits ?? 3)}${plot.unit && " " + plot.unit}` : plot.absent || "–";
    if (plot.hover === null || !this.count) return say(latest);
    const wanted = t0 + (plot.hover - left) / (width - left - 4) * SPAN;
    let best = this.count - 1;
    for (let k = Math.max(0, this.count - LENGTH); k < this.count; k++) if (Math.abs(this.times[k % LENGTH] - wanted) < Math.abs(this.times[best % LENGTH] - wanted)) best = k;
    const t = this.times[best % LENGTH], value = plot.data[best % LENGTH];
    pen.fillStyle = colours.pick;
    if (value === value) { pen.fillRect(u(t) - 0.5, 4, 1, bottom - 4); pen.beginPath(); pen.arc(u(t), v(value), 3.5, 0, 2 * Math.PI); pen.fill(); }
    return `${say(value)} at ${t.toFixed(1)} s`;
  }

  range(plot, first) {
    let low = plot.low ?? Infinity, high = plot.high ?? -Infinity;
    for (let k = first; k < this.count; k++) {
      const value = plot.data[k % LENGTH];
      if (value === value && this.times[k % LENGTH] >= this.last - SPAN) { low = Math.min(low, value); high = Math.max(high, value); }
    }
    if (!(high > low)) high = low + (plot.least || 1);
    return plot.high === undefined ? [low, Math.max(nice(high - low) + low, low + (plot.least || 0))] : [low, high];
  }

  drawAxes(pen, plot, width, left, bottom, low, high, t0, t1, u, v) {
    pen.fillStyle = colours.soft; pen.strokeStyle = colours.grid; pen.lineWidth = 1; pen.font = "11px system-ui, sans-serif";
    pen.beginPath();
    for (const value of [low, high]) { pen.moveTo(left, Math.round(v(value)) + 0.5); pen.lineTo(width - 4, Math.round(v(value)) + 0.5); }
    pen.stroke();
    pen.textAlign = "right"; pen.textBaseline = "middle";
    pen.fillText(tidy(low, 2), left - 5, v(low)); pen.fillText(tidy(high, 2), left - 5, v(high));
    pen.textBaseline = "top";
    for (let t = Math.ceil(t0 / 20) * 20; t <= t1; t += 20) { pen.textAlign = t - t0 < 5 ? "left" : t1 - t < 5 ? "right" : "center"; pen.fillText(`${t} s`, u(t), bottom + 2); }
  }
}

/** The next of 1, 2, 5 times a power of ten. */
function nice(value) {
  const ten = 10 ** Math.floor(Math.log10(value));
  return ten * (value / ten <= 1.0001 ? 1 : value / ten <= 2 ? 2 : value / ten <= 5 ? 5 : 10);
}
