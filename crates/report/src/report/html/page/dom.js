// Elements and text. All data becomes text nodes and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/// Adds attributes (functions are event listeners) and children (nodes, text, arrays of them; null is left out).
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/// An HTML element.
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
/// An SVG element.
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const link = (to, ...children) => h("a", { href: to }, ...children);
const code = (...children) => h("code", null, ...children);

const grouped = new Intl.NumberFormat("en");
/// A number with separators; one that is too large for JavaScript is hexadecimal text already.
const number = (value) => (typeof value === "number" ? grouped.format(value) : value);
/// "1 test", "2 tests".
const count = (value, one, many) => `${number(value)} ${value === 1 ? one : many || one + "s"}`;
/// A hash in pieces, between which a line may end.
const hash = (value) => h("code", { class: "hash" }, (value.match(/.{1,16}/g) || []).map((piece) => h("span", null, piece)));
/// A name that stays on one line unless it is long.
const nameText = (name) => h("span", { class: name.length <= 40 ? "whole" : null }, name);
const hex = (value) => (typeof value === "number" ? "0x" + value.toString(16) : value);

/// A percentage, rounded down, so that only all of them are 100 %.
function percent(part, whole) {
  if (whole === 0) return "–";
  if (part === whole) return "100 %";
  return (Math.floor((part / whole) * 1000) / 10).toFixed(1) + " %";
}

/// Text in which `words` are code, and addresses of instructions, which other numbers are not, are links beside their function and source line.
function prose(text) {
  return text.split("`").flatMap((piece, index) => (index % 2 ? code(piece) : piece.split(/(?<=^at |paths end at )(0x[0-9a-f]+)/i).map((part, at) => {
    const place = at % 2 ? placeOf(part) : -1;
    return place >= 0 && functionOffset(place) ? placeLabel(place) : part;
  })));
}

/// Words as a sentence begins.
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/// Text of which only the beginning is shown until the reader asks for the rest.
function shortened(text, most = 240) {
  if (text.length <= most + 40) return h("span", null, prose(text));
  const end = text.lastIndexOf(" ", most);
  const rest = h("span", null, prose(text.slice(0, end > most / 2 ? end : most)), " … ");
  const more = h("button", { type: "button", class: "more", click: () => rest.replaceChildren(...prose(text)) },
    `show all ${number(text.length)} characters`);
  rest.append(more);
  return rest;
}

/// A command with a button that copies it.
function command(text) {
  const button = h("button", { type: "button", class: "copy", click: () => copy(text, button) }, "Copy");
  return h("div", { class: "command" }, h("pre", { tabindex: "0" }, text), button);
}

function copy(text, button) {
  const done = () => {
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  const byHand = () => {
    const area = h("textarea", { class: "away" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  };
  // A page from disk may have no clipboard of its own.
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
  else byHand();
}
