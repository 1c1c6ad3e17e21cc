// Robots with footprint and heading, in as few strokes as there are colours.
import { FALLEN, LEADER } from "./frames.js";
import { colours } from "./theme.js";

const LEAST = 5;

export function drawRobots(pen, camera, model) {
  const batches = new Map();
  for (let k = 0; k < model.count; k++) {
    if (!model.known(k)) continue;
    const u = camera.screenX(model.poses[4 * k]), v = camera.screenY(model.poses[4 * k + 1]), r = model.radius(k) * camera.scale;
    if (u < -r - 9 || v < -r - 9 || u > camera.width + r + 9 || v > camera.height + r + 9) continue;
    const colour = model.poses[4 * k + 3] ? colours.lost : model.flags(k) & FALLEN ? colours.bad : model.flags(k) & LEADER ? colours.leader : colours.groups[(model.groups[k] || 0) % colours.groups.length];
    if (!batches.has(colour)) batches.set(colour, { small: new Path2D(), body: new Path2D(), nose: new Path2D() });
    addRobot(batches.get(colour), u, v, r, model.poses[4 * k + 2]);
  }
  for (const [colour, paths] of batches) {
    pen.fillStyle = colour; pen.fill(paths.small); pen.fill(paths.body);
    pen.strokeStyle = colours.floor; pen.lineWidth = 2; pen.stroke(paths.nose);
  }
  if (model.picked >= 0 && model.known(model.picked)) drawPicked(pen, camera, model);
}

/** Large enough: the footprint as a disc with a line to where it is heading. Smaller: a dart, with the footprint's size when it shows. */
function addRobot(paths, u, v, r, yaw) {
  const c = Math.cos(yaw), s = Math.sin(yaw);
  if (r >= 8) {
    paths.body.moveTo(u + r, v); paths.body.arc(u, v, r, 0, 2 * Math.PI);
    paths.nose.moveTo(u, v); paths.nose.lineTo(u + r * c, v - r * s);
    return;
  }
  const size = Math.max(r, LEAST);
  paths.small.moveTo(u + 1.3 * size * c, v - 1.3 * size * s);
  paths.small.lineTo(u - size * c - 0.75 * size * s, v + size * s - 0.75 * size * c);
  paths.small.lineTo(u - 0.5 * size * c, v + 0.5 * size * s);
  paths.small.lineTo(u - size * c + 0.75 * size * s, v + size * s + 0.75 * size * c);
  paths.small.closePath();
}

function drawPicked(pen, camera, model) {
  const k = model.picked, u = camera.screenX(model.poses[4 * k]), v = camera.screenY(model.poses[4 * k + 1]);
  pen.strokeStyle = colours.pick; pen.lineWidth = 2.5;
  pen.beginPath(); pen.arc(u, v, Math.max(model.radius(k) * camera.scale + 4, 10), 0, 2 * Math.PI); pen.stroke();
}

export function drawLabels(pen, camera, model) {
  pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "bottom"; pen.fillStyle = colours.text; pen.strokeStyle = colours.floor; pen.lineWidth = 3; pen.lineJoin = "round";
  for (let k = 0; k < model.count; k++) {
    if (!model.known(k)) continue;
    const r = Math.max(model.radius(k) * camera.scale, LEAST), u = camera.screenX(model.poses[4 * k]) + r, v = camera.screenY(model.poses[4 * k + 1]) - r;
    if (u < -80 || v < 0 || u > camera.width || v > camera.height + 20) continue;
    pen.strokeText(model.hello.names[k], u, v); pen.fillText(model.hello.names[k], u, v);
  }
}
