// What a picked robot sees and wants, and, if asked for, what all of them want.
import { colours } from "./theme.js";

/** Field of view and neighbours of the picked robot. */
export function drawDetails(pen, camera, model) {
  const k = model.picked;
  if (k < 0 || !model.known(k)) return;
  const u = camera.screenX(model.poses[4 * k]), v = camera.screenY(model.poses[4 * k + 1]);
  drawView(pen, u, v, -model.poses[4 * k + 2], (model.values["perception.radius"] || 0) * camera.scale, (model.values["perception.field_of_view"] || 360) * Math.PI / 180);
  const seen = model.frame.neighbours;
  pen.strokeStyle = colours.seen; pen.lineWidth = 1.8;
  pen.beginPath();
  for (let row = 0; seen && row < seen.rows; row++) {
    const [observer, robot, x, y] = seen.data.subarray(4 * row, 4 * row + 4);
    if (observer !== k || robot === k) continue;
    const p = camera.screenX(x), q = camera.screenY(y);
    pen.moveTo(u, v); pen.lineTo(p, q);
    pen.moveTo(p + 9, q); pen.arc(p, q, 9, 0, 2 * Math.PI);
  }
  pen.stroke();
}

function drawView(pen, u, v, angle, radius, width) {
  pen.beginPath();
  if (width < 2 * Math.PI - 0.01) pen.moveTo(u, v);
  pen.arc(u, v, radius, angle - width / 2, angle + width / 2);
  pen.closePath();
  pen.fillStyle = colours.view; pen.fill();
  pen.strokeStyle = colours.seen; pen.globalAlpha = 0.5; pen.lineWidth = 1; pen.stroke(); pen.globalAlpha = 1;
}

export function behaviourColour(number) {
  return number < 0 ? colours.text : colours.arrows[number % colours.arrows.length];
}

let longest = 1;

/** Arrows of the picked robot, thick, and those of all when everybody's are wanted. The longest one of late is 70 pixels long. */
export function drawEverybody(pen, camera, model, everybody) {
  const arrows = model.frame.arrows;
  if (!arrows || (!everybody && model.picked < 0)) return;
  let now = 0;
  for (let row = 0; row < arrows.rows; row++) now = Math.max(now, Math.hypot(arrows.data[4 * row + 2], arrows.data[4 * row + 3]) || 0);
  longest = Math.max(now, 0.98 * longest, 0.05);
  for (let number = -1; number < model.behaviours.length; number++) {
    drawArrows(pen, camera, model, number, 70 / longest, (robot) => everybody || robot === model.picked);
  }
}

function drawArrows(pen, camera, model, number, scale, wanted) {
  const { rows, data } = model.frame.arrows;
  pen.strokeStyle = behaviourColour(number); pen.lineWidth = number < 0 ? 3 : 2;
  pen.beginPath();
  for (let row = 0; row < rows; row++) {
    const robot = data[4 * row], x = data[4 * row + 2] * scale, y = -data[4 * row + 3] * scale, length = Math.hypot(x, y);
    if (data[4 * row + 1] !== number || length < 3 || !wanted(robot) || !model.known(robot)) continue;
    const u = camera.screenX(model.poses[4 * robot]), v = camera.screenY(model.poses[4 * robot + 1]), h = Math.min(8, length / 2) / length;
    pen.moveTo(u, v); pen.lineTo(u + x, v + y);
    pen.lineTo(u + x - h * (x + 0.6 * y), v + y - h * (y - 0.6 * x));
    pen.moveTo(u + x, v + y); pen.lineTo(u + x - h * (x - 0.6 * y), v + y - h * (y + 0.6 * x));
  }
  pen.stroke();
}
