// The page: puts its parts together.
import { $, notice, setText, tidy } from "./dom.js";
import { onTheme, switchTheme } from "./theme.js";
import { Socket } from "./socket.js";
import { Model } from "./model.js";
import { Camera } from "./camera.js";
import { View } from "./view.js";
import { Pointer } from "./pointer.js";
import { Plots } from "./plots.js";
import { Parameters } from "./parameters.js";
import { Robots } from "./robots.js";
import { Bar } from "./bar.js";
import { Stop } from "./stop.js";
import { fillHelp, listenForKeys } from "./keys.js";

const TABS = ["plots", "parameters", "robots"];
const model = new Model(), camera = new Camera(), socket = new Socket(hear);
const view = new View($("view"), camera, model), plots = new Plots($("plots")), parameters = new Parameters(socket, model);
const robots = new Robots(model, pick), bar = new Bar(socket, model), stop = new Stop(socket, model);
const pointer = new Pointer(view, {
  pick, changed: () => { view.needed = true; },
  place: (robot, x, y) => { socket.ask({ type: "place", robot, x, y, yaw: model.poses[4 * robot + 2] }).then(({ ok, text }) => { if (!ok) notice(text, true); }); },
  goal: (x, y) => { aim(false); const heading = model.frame?.structure?.data[2]; socket.ask({ type: "goal", x, y, yaw: heading ?? null }).then(({ ok, text }) => { if (!ok) notice(text, true); }); },
});
let fitted = false, following = false, heard = -Infinity;
window.swarm = { model, camera, parameters, socket };

function hear(type, data) {
  const act = {
    link: () => { $("link").classList.toggle("on", data); $("link").title = data ? "connected" : "not connected"; if (!data && model.hello) notice("The connection is lost; trying again.", true); if (data) watch(); stop.link(data); },
    hello: () => { model.introduce(data); setText($("scenario"), data.scenario); $("scenario").title = data.description; document.title = `${data.scenario} – Swarm`; parameters.build(data.parameters); parameters.refresh(); robots.build(); fitted = false; },
    values: () => { model.values = data.values; parameters.refresh(); view.needed = true; },
    file: () => { model.file = data; parameters.refresh(); if (data.problem) notice(data.problem, true); },
    behaviours: () => { model.behaviours = data.names; },
    status: () => { model.status = data; bar.refresh(); stop.refresh(); robots.drawNodes(); showWarnings(data.warnings); },
    map: () => { model.map = data; fitted = false; },
    frame: () => showFrame(data),
    answer: () => notice(data.text, !data.ok),
  }[type];
  if (act) act();
}

function showFrame(frame) {
  if (!model.hello || frame.robots.rows !== model.count) return;
  model.show(frame);
  view.trails.add(model.poses, frame.time);
  plots.add(frame, model.hello.metrics);
  view.needed = true;
  heard = performance.now();
}

/** A picture that stands still must not pass for robots that do. */
function showSilence(now) {
  const silent = (now - heard) / 1000;
  $("waiting").hidden = silent < 2;
  setText($("waiting"), model.frame ? `Nothing heard of the robots for ${silent.toFixed(0)} s` : "Waiting for the robots …");
}

function showWarnings(texts) {
  const place = $("warnings"), shown = JSON.stringify(texts);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(...texts.map((text) => { const box = document.createElement("div"); box.className = "warning"; box.textContent = text; return box; }));
}

function draw(now) {
  requestAnimationFrame(draw);
  if (!fitted && model.frame && camera.width > 50) { camera.fit(model.bounds()); fitted = true; view.needed = true; }
  plots.draw(now); robots.draw(now); showSilence(now);
  if (!view.needed) return;
  view.needed = false;
  if (following && model.frame) follow();
  else if (camera.fitted && model.frame && !model.map) keepInView();
  view.draw(now);
  drawScale();
  if (model.frame) bar.draw(model.frame, model.hello.metrics);
}

function drawScale() {
  const step = view.gridStep(), mark = $("scale").firstElementChild;
  setText(mark, `${tidy(step)} m`);
  $("scale").style.width = `${step * camera.scale}px`;
}

/** In open space, show more when robots leave, as long as nobody has moved the map. */
function keepInView() {
  const box = model.flock();
  if (box && !camera.shows(box)) camera.fit(model.bounds());
}

function follow() {
  if (model.picked >= 0 && model.known(model.picked)) { camera.centre(model.poses[4 * model.picked], model.poses[4 * model.picked + 1]); return; }
  const box = model.flock();
  if (box) camera.centre((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
}

function pick(robot) { model.picked = robot; robots.drawn = 0; robots.drawCard(); watch(); view.needed = true; }
function watch() { socket.tell({ type: "watch", robot: model.picked, everybody: view.show.arrows }); }
function pickNext(step) { if (model.count) pick((model.picked + step + model.count) % model.count); }
function aim(on = !pointer.aiming) { pointer.aiming = on; $("goal").setAttribute("aria-pressed", String(on)); $("view").classList.toggle("aiming", on); }
function zoom(factor) { camera.zoom(factor); view.needed = true; }
function pan(du, dv) { camera.pan(du, dv); view.needed = true; }
function fit() { fitted = false; view.needed = true; }

function toggle(name) {
  view.show[name] = !view.show[name];
  robots.legend = view.show.arrows;
  $(name).setAttribute("aria-pressed", String(view.show[name]));
  view.needed = true; robots.drawn = 0;
  watch();
}

function toggleFollow() { following = !following; $("follow").setAttribute("aria-pressed", String(following)); view.needed = true; }

function openTab(name, focus = false) {
  for (const other of TABS) {
    $(other).hidden = other !== name;
    $(`tab-${other}`).setAttribute("aria-selected", String(other === name));
    $(`tab-${other}`).tabIndex = other === name ? 0 : -1;
  }
  if (focus) $(`tab-${name}`).focus();
  plots.drawn = robots.drawn = 0;
}

for (const [k, name] of TABS.entries()) {
  $(`tab-${name}`).addEventListener("click", () => openTab(name));
  $(`tab-${name}`).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];
    if (step) openTab(TABS[(k + step) % TABS.length], true);
  });
}
for (const name of ["trails", "labels", "arrows"]) $(name).addEventListener("click", () => toggle(name));
const showHelp = () => { if (!$("shortcuts").open) $("shortcuts").showModal(); };
const clicks = { "zoom-in": () => zoom(1.3), "zoom-out": () => zoom(1 / 1.3), fit, follow: toggleFollow, goal: () => aim(), theme: switchTheme, help: showHelp };
for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
onTheme(() => { view.needed = true; plots.drawn = 0; });
fillHelp();
listenForKeys({
  s: () => stop.stop(), " ": () => bar.pause(), ".": () => bar.ask({ type: "step" }), r: () => bar.reset(),
  ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
  "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), f: fit, c: toggleFollow, n: () => pickNext(1), p: () => pickNext(-1),
  Escape: () => { aim(false); pick(-1); }, g: () => aim(), t: () => toggle("trails"), l: () => toggle("labels"), a: () => toggle("arrows"),
  1: () => openTab("plots", true), 2: () => openTab("parameters", true), 3: () => openTab("robots", true),
  "/": () => { openTab("parameters"); $("search").focus(); }, undo: () => parameters.undo(), d: switchTheme, "?": showHelp,
});
requestAnimationFrame(draw);
