// A function: its control-flow graph beside its disassembly under source lines.

/// Number of blocks of the listing that are on the page at once.
const BLOCKS_ON_PAGE = 150;

function functionView(name, at) {
  const fn = functionByRoute(name);
  if (fn < 0) return missing(`There is no function ${name}`);
  const tally = functionTally(fn);
  const place = overview().functions.place[fn];
  const view = [
    heading(overview().functions.name[fn], h("p", { class: "lead" }, code(address(place)),
      sourceLine(place) && [" · ", h("span", { class: "source" }, sourceLine(place))],
      ` · ${count(listing().function_blocks[fn], "block")} · ${count(tally.reduce((sum, value) => sum + value, 0), "direction")}`),
      h("p", { class: "tally" }, tally.map((value, verdict) => value > 0 && h("span", null, badge(verdict), ` ${number(value)} `)))),
    bar(tally, "bar-large thin"),
    undecidedOf(fn, tally),
    h("div", { class: listing().function_blocks[fn] > MOST_BLOCKS ? "split single" : "split" },
      h("section", { class: "drawing" }, graph(fn)),
      h("section", { class: "listing" }, h("h2", null, "Disassembly"), disassembly(fn, at)))];
  return view;
}

/// The undecided directions of a function, in a table that is made when it is opened.
function undecidedOf(fn, tally) {
  const all = tally[OPEN] + tally[UNSUPPORTED];
  if (all === 0) return null;
  const indexes = () => directions().function.flatMap((own, index) => (own === fn && directions().verdict[index] >= OPEN ? [index] : []));
  return lazyDetails(`Show the ${count(all, "undecided direction")}`, () => directionTable(indexes()));
}

/// The listing, in pages of blocks, opened at an address.
function disassembly(fn, at) {
  const [first, end] = [firstBlock()[fn], firstBlock()[fn + 1]];
  const pages = Math.max(Math.ceil((end - first) / BLOCKS_ON_PAGE), 1);
  const box = h("div");
  const draw = (page) => {
    const from = first + page * BLOCKS_ON_PAGE, to = Math.min(from + BLOCKS_ON_PAGE, end);
    box.replaceChildren(...pagerOf(page), codeTable(fn, from, to), ...pagerOf(page));
  };
  const pagerOf = (page) => (pages === 1 ? [] : [h("div", { class: "pager" },
    h("span", { class: "range" }, `part ${page + 1} of ${pages}, ${count(end - first, "block")}`),
    h("button", { type: "button", disabled: page === 0, click: () => draw(page - 1) }, "Previous"),
    h("button", { type: "button", disabled: page + 1 === pages, click: () => draw(page + 1) }, "Next"))]);
  box.show = (wanted) => {
    const block = blockOfAddress(fn, wanted);
    if (block < 0) return;
    if (!document.getElementById("at-" + wanted)) draw(Math.floor((block - first) / BLOCKS_ON_PAGE));
    const row = document.getElementById("at-" + wanted);
    if (!row) return;
    for (const old of box.querySelectorAll(".here")) old.classList.remove("here");
    row.classList.add("here");
    row.scrollIntoView({ block: "center" });
  };
  box.id = "disassembly";
  draw(0);
  if (at) requestAnimationFrame(() => box.show(at));
  return box;
}

function blockOfAddress(fn, wanted) {
  for (let block = firstBlock()[fn]; block < firstBlock()[fn + 1]; block++) {
    for (let index = firstInstruction()[block]; index < firstInstruction()[block + 1]; index++) {
      if (address(instructionPlaces()[index]) === wanted) return block;
    }
  }
  return -1;
}

/// The blocks from one to another.
function codeTable(fn, from, to) {
  const blocks = [];
  for (let block = from; block < to; block++) blocks.push(blockRows(fn, block, block === from));
  return h("div", { class: "scroll" }, h("table", { class: "code" },
    h("thead", null, h("tr", null, h("th", { scope: "col", class: "number" }, "Tests"), ["Address", "Offset", "Instruction"].map((title) => h("th", { scope: "col" }, title)))),
    blocks));
}

/// The instructions of a block under their source lines, and the directions of its branches.
function blockRows(fn, block, isFirst) {
  const rows = [];
  let line = isFirst ? -2 : listing().instruction_line[firstInstruction()[block] - 1];
  for (let index = firstInstruction()[block]; index < firstInstruction()[block + 1]; index++) {
    const own = listing().instruction_line[index];
    if (own !== line && own >= 0) rows.push(sourceRows(own, line));
    line = own;
    rows.push(instructionRow(fn, index));
    for (const direction of directionsOfBranch().get(instructionPlaces()[index]) || []) rows.push(directionRow(direction));
  }
  return h("tbody", { "aria-label": "Block at " + address(instructionPlaces()[firstInstruction()[block]]) }, rows);
}

/// The text of a source line, with the lines between the last one and this.
function sourceRows(line, last) {
  const [file, wanted] = [listing().line_file[line], listing().line_number[line]];
  const lines = listing().file_lines[file], texts = listing().file_text[file];
  const shown = lines.indexOf(wanted);
  let first = shown;
  // Comments and declarations before it belong to it, unless they were shown.
  const previous = last >= 0 && listing().line_file[last] === file ? listing().line_number[last] : 0;
  while (first > 0 && lines[first - 1] === lines[first] - 1 && lines[first - 1] > previous && previous < wanted && texts[first - 1].trim() !== "" && !hasCode(file, lines[first - 1])) first--;
  const name = fileName(text(listing().file_path[file]));
  const row = (number, words, main) => h("tr", { class: main ? "source-line" : "source-line context" },
    h("td"), h("th", { colspan: 3, scope: "rowgroup" }, h("span", { class: "source" }, `${name}:${number}`), " ", h("span", { class: "words" }, words)));
  if (shown < 0) return row(wanted, "", true);
  return lines.slice(first, shown + 1).map((number, index) => row(number, texts[first + index], first + index === shown));
}

const linesWithCode = once(() => new Set(listing().line_file.map((file, line) => `${file}:${listing().line_number[line]}`)));
const hasCode = (file, number) => linesWithCode().has(`${file}:${number}`);

/// The offset in the function that is shown; in another one, such as an inlined one, with its name.
function offsetIn(fn, place) {
  const [offset, own] = [functionOffset(place), overview().functions.name[fn]];
  if (offset === own) return "+0x0";
  return offset.startsWith(own + "+") ? offset.slice(own.length) : offset;
}

function instructionRow(fn, index) {
  const place = instructionPlaces()[index], tests = listing().instruction_tests[index];
  return h("tr", { id: "at-" + address(place), class: tests ? "" : "idle" },
    h("td", { class: "number hits", title: `executed by ${count(tests, "test")}` }, tests ? number(tests) : "–"),
    h("td", { class: "address" }, address(place)), h("td", { class: "offset", title: functionOffset(place) }, offsetIn(fn, place)),
    h("td", { class: "instruction" }, text(listing().instruction_text[index])));
}

function directionRow(index) {
  const target = directions().target[index];
  return h("tr", { class: "direction " + VERDICTS[directions().verdict[index]] }, h("td"), h("td", { colspan: 3 },
    h("span", { class: "arrow", "aria-hidden": "true" }, "→ "), link(directionRoute(index), code(address(target))), " ",
    h("span", { class: "function" }, functionOffset(target)), " ", h("span", { class: "source" }, sourceLine(target)), " ",
    badge(directions().verdict[index]), " ", verdictDetail(index, 140)));
}

/// The functions of a source file.
function sourceView(path) {
  const functions = overview().functions.name.map((_, fn) => fn).filter((fn) => functionFile(fn) >= 0 && text(functionFile(fn)) === path);
  if (functions.length === 0) return missing(`There is no function of ${path}`);
  return [heading(fileName(path), h("p", { class: "lead" }, code(path))), functionTable(functions)];
}
