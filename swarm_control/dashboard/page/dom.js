// Small helpers for the page's elements.

export const $ = (id) => document.getElementById(id);

/** An element with attributes and children; attributes that are functions listen. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A message that goes by itself, bad news more slowly; the same message is not shown twice at once. */
export function notice(text, bad = false) {
  const shown = $("notices");
  for (const old of shown.children) if (old.dataset.text === text) old.remove();
  const box = make("div", { class: bad ? "notice bad" : "notice" }, make("span", {}, text), make("button", { "aria-label": "Close", click: () => box.remove() }, "×"));
  box.dataset.text = text;
  shown.append(box);
  while (shown.children.length > 4) shown.firstChild.remove();
  setTimeout(() => box.remove(), bad ? 12000 : 4000);
}

/** A number for people: about four digits, never an exponent where it can be avoided. */
export function tidy(value, digits = 3) {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-4)) return value.toExponential(2);
  return String(Number(value.toFixed(size >= 100 ? 1 : digits)));
}
