// Parts that several views share: places, verdicts, bars, and tables of directions.

const SYMBOLS = ["✓", "∅", "?", "!"];

/// The link to the code at a place, or null if the listing does not have it.
function codeRoute(place) {
  const fn = functionOfPlace(place);
  return fn < 0 ? null : `${functionRoute(fn)}/${address(place)}`;
}

/// An address beside its function and source line.
function placeLabel(place) {
  const route = codeRoute(place);
  const [fn, line] = [functionOffset(place), sourceLine(place)];
  return h("span", { class: "place" },
    route ? link(route, code(address(place))) : code(address(place)),
    fn && [" ", nameText(fn)], line && [" ", h("span", { class: "source" }, nameText(line))]);
}

const badge = (verdict) => h("span", { class: "badge " + VERDICTS[verdict] },
  h("span", { "aria-hidden": "true" }, SYMBOLS[verdict] + " "), VERDICTS[verdict]);

/// A bar with a part for each verdict.
function bar(tally, className = "bar-small") {
  const all = tally.reduce((sum, value) => sum + value, 0);
  if (all === 0) return h("span", { class: "none" }, "no branches");
  const label = tally.map((value, verdict) => (value ? `${number(value)} ${VERDICTS[verdict]}` : "")).filter(Boolean).join(", ");
  return h("span", { class: "stack " + className, role: "img", "aria-label": label, title: label },
    tally.map((value, verdict) => value > 0 &&
      h("span", { class: "part " + VERDICTS[verdict], style: `flex-grow:${value}` })));
}

/// What is known of a direction, in one line: the test, the evidence or the reason.
function verdictDetail(index, most) {
  const detail = directions().detail[index];
  const trace = directions().trace[index];
  if (trace >= 0) return h("span", null, "first by ", text(trace));
  if (detail < 0) return "";
  if (directions().verdict[index] === COVERED) return h("span", null, "first by test ", link(testRoute(detail), overview().tests[detail]));
  const certificates = directions().certificates[index].length;
  return [shortened(text(detail), most), certificates > 0 && [" (", link(directionRoute(index), count(certificates, "certificate")), ")"],
    justificationOf().has(index) && [" ", link(directionRoute(index), "justified")]];
}

const directionLink = (index) => link(directionRoute(index),
  code(`${address(directions().branch[index])} → ${address(directions().target[index])}`));

/// A table of directions, given by their indexes.
function directionTable(indexes, { caption, verdicts = true, details = true, empty, more } = {}) {
  const branch = (index) => directions().branch[index];
  return table({
    caption, rows: indexes, what: "directions", empty,
    columns: [
      { title: "Direction", cell: directionLink, key: (index) => index },
      { title: "Function", cell: (index) => nameText(functionOffset(branch(index))), key: (index) => functionOffset(branch(index)), className: "function" },
      { title: "Source", cell: (index) => nameText(sourceLine(branch(index))), key: (index) => sourceLine(branch(index)), className: "source" },
      verdicts && { title: "Verdict", cell: (index) => badge(directions().verdict[index]), key: (index) => directions().verdict[index] },
      details && { title: "Test, evidence or reason", cell: (index) => verdictDetail(index, 160), className: "wide" },
      more,
    ].filter(Boolean),
  });
}

/// A table of functions, given by their indexes, the one with most open directions first.
function functionTable(indexes, caption) {
  const tally = (fn, verdict) => overview().functions.tally[verdict][fn];
  const feasible = (fn) => tally(fn, COVERED) + tally(fn, OPEN) + tally(fn, UNSUPPORTED);
  const undecided = (fn) => tally(fn, OPEN) + tally(fn, UNSUPPORTED);
  const numeric = (title, value) => ({ title, cell: (fn) => number(value(fn)), key: value, className: "number", descending: true });
  return table({
    caption, rows: indexes, what: "functions", sort: [5, true],
    columns: [
      { title: "Function", cell: (fn) => link(functionRoute(fn), nameText(overview().functions.name[fn])), key: (fn) => overview().functions.name[fn], className: "function" },
      { title: "Address", cell: (fn) => code(address(overview().functions.place[fn])), key: (fn) => overview().functions.place[fn] },
      { title: "Source", cell: (fn) => nameText(sourceLine(overview().functions.place[fn])), key: (fn) => sourceLine(overview().functions.place[fn]), className: "source" },
      numeric("Covered", (fn) => tally(fn, COVERED)),
      numeric("Infeasible", (fn) => tally(fn, INFEASIBLE)),
      numeric("Undecided", undecided),
      { title: "Coverage", cell: (fn) => percent(tally(fn, COVERED), feasible(fn)), className: "number",
        key: (fn) => (feasible(fn) ? tally(fn, COVERED) / feasible(fn) : 2) },
      { title: "Directions", cell: (fn) => bar(functionTally(fn)), key: (fn) => feasible(fn) + tally(fn, INFEASIBLE), descending: true },
    ],
  });
}

/// A path as a word of a shell command.
const shellWord = (path) => (/^[\w.+/-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
/// A file of the suite.
const suiteFile = (file) => shellWord(`${overview().folder}/${file}`);
/// The command that replays a test, with where it is to be run.
const replay = (test) => [h("p", null, "To replay it, in the folder of the program:"),
  command(`everypath replay ${shellWord(overview().program)} ${suiteFile(`tests/${test}.json`)}${overview().flags}`)];

/// Details that are made when they are opened.
function lazyDetails(label, make, open = false) {
  const box = h("div");
  const fillOnce = () => box.childElementCount === 0 && box.append(make());
  if (open) fillOnce();
  return h("details", { open, toggle: (event) => event.target.open && fillOnce() }, h("summary", null, label), box);
}

/// A view's heading.
const heading = (title, ...below) => h("div", { class: "heading" }, h("h1", null, title), ...below);
const section = (title, ...children) => h("section", null, h("h2", null, title), ...children);

/// A page that says what was not found.
const missing = (what) => [heading("Not in this report"), h("p", null, what, ". ", link("#/", "Back to the overview"))];
