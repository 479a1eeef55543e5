// The data: chunks of JSON, parsed when they are first needed, and what is derived from them.

const VERDICTS = ["covered", "infeasible", "open", "unsupported"];
const COVERED = 0, INFEASIBLE = 1, OPEN = 2, UNSUPPORTED = 3;

/// A function that computes its result once.
function once(compute) {
  let result;
  return () => (result === undefined ? (result = compute()) : result);
}
const chunk = (name) => once(() => JSON.parse(document.getElementById(name).textContent));
const overview = chunk("overview"), places = chunk("places"), listing = chunk("code");
const runs = chunk("runs"), strings = chunk("strings");
const text = (index) => strings()[index];

// Places: an address with its function and its source line.
const address = (place) => "0x" + places().address[place];
const fileName = (path) => path.split(/[/\\]/).pop();
function functionOffset(place) {
  const at = places();
  const name = place in at.name ? text(at.name[place]) : overview().functions.name[at.function[place]];
  if (name === undefined) return "";
  return at.offset[place] === 0 ? name : `${name}+${hex(at.offset[place])}`;
}
function sourceLine(place) {
  const at = places();
  return at.file[place] < 0 ? "" : `${fileName(text(at.file[place]))}:${at.line[place]}`;
}
/// The place of an address, by binary search, or -1.
function placeOf(text) {
  const digits = text.replace(/^0x/, ""), all = places().address;
  const isBefore = (a, b) => a.length < b.length || (a.length === b.length && a < b);
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(all[middle], digits)) low = middle + 1;
    else high = middle;
  }
  return all[low] === digits ? low : -1;
}

// Sums of counts: the beginning of each part.
function starts(counts) {
  const result = new Int32Array(counts.length + 1);
  for (let index = 0; index < counts.length; index++) result[index + 1] = result[index] + counts[index];
  return result;
}
const firstBlock = once(() => starts(listing().function_blocks));
const firstInstruction = once(() => starts(listing().block_instructions));
const instructionPlaces = once(() => {
  let last = 0;
  return Int32Array.from(listing().instruction_place, (step) => (last += step));
});
/// The listed function that has the instruction at a place, or -1.
const functionOfPlace = (place) => places().function[place];

// Functions: a unique name or the address is the name in a link.
const functionsByName = once(() => {
  const found = new Map();
  overview().functions.name.forEach((name, fn) => found.set(name, found.has(name) ? -1 : fn));
  return found;
});
function functionRoute(fn) {
  const { name, place } = overview().functions;
  const unique = functionsByName().get(name[fn]) === fn;
  return "#/function/" + (unique ? encodeURIComponent(name[fn]) : address(place[fn]));
}
function functionByRoute(name) {
  const named = functionsByName().get(name);
  if (named >= 0) return named;
  const place = placeOf(name);
  if (place < 0) return -1;
  const entry = overview().functions.place.indexOf(place);
  return entry >= 0 ? entry : functionOfPlace(place);
}
function functionTally(fn) {
  return overview().functions.tally.map((column) => column[fn]);
}
/// The source file of each function's entry: an index of strings, or -1.
const functionFile = (fn) => places().file[overview().functions.place[fn]];

// Directions.
const directions = () => listing().direction;
const directionsOfBranch = once(() => {
  const found = new Map();
  directions().branch.forEach((branch, index) => {
    if (found.has(branch)) found.get(branch).push(index);
    else found.set(branch, [index]);
  });
  return found;
});
const directionRoute = (index) =>
  `#/direction/${address(directions().branch[index])}-${address(directions().target[index])}`;
function directionByRoute(name) {
  const [branch, target] = name.split("-").map(placeOf);
  return (directionsOfBranch().get(branch) || []).find((index) => directions().target[index] === target) ?? -1;
}
const testRoute = (test) => "#/test/" + encodeURIComponent(overview().tests[test]);
const testRouteOfName = (name) => "#/test/" + encodeURIComponent(name);
/// The cause of each open or unsupported direction.
const causeOfDirection = once(() => {
  const found = new Map();
  overview().causes.forEach((cause, index) => cause.directions.forEach((direction) => found.set(direction, index)));
  return found;
});
