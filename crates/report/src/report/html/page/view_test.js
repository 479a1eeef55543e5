// Tests: all of them, and one with its input, its run, and what it covers.

function testsView() {
  const all = overview();
  const rows = all.tests.map((_, test) => test);
  const run = (test) => runs().test[test];
  const numeric = (title, value) => ({ title, key: value, cell: (test) => number(value(test)), className: "number", descending: true });
  return [
    heading("Tests", h("p", { class: "lead" }, `${count(rows.length, "test")}, in the order in which they were found.`)),
    table({
      rows, what: "tests", empty: "There is no test.",
      columns: [
        { title: "Test", cell: (test) => link(testRoute(test), all.tests[test]), key: (test) => test },
        numeric("New directions", (test) => all.new_directions[test]),
        numeric("Instructions", (test) => run(test).instructions),
        numeric("Reads", (test) => run(test).all_reads),
        numeric("Interrupts", (test) => run(test).all_interrupts),
        { title: "End", cell: (test) => prose(text(run(test).end)), key: (test) => text(run(test).end), className: "wide" },
      ],
    }),
  ];
}

function testView(name) {
  const test = overview().tests.indexOf(name);
  const run = runs().test[test];
  if (!run) return missing(`There is no test ${name}`);
  const findings = overview().findings.filter((finding) => finding.test === name);
  const neighbour = (to, label) => overview().tests[to] !== undefined && link(testRoute(to), label);
  return [
    heading(`Test ${name}`,
      h("p", { class: "lead" }, `It executes ${count(run.instructions, "instruction")} and takes ${count(run.new_directions.length, "direction")} that no earlier test takes.`),
      h("p", { class: "neighbours" }, neighbour(test - 1, "← previous test"), " ", neighbour(test + 1, "next test →"))),
    findings.map((finding) => h("p", { class: "alarm" }, h("strong", null, prose(finding.message)), " ", placeLabel(finding.place))),
    h("div", { class: "columns" },
      section("Run", facts([
        ["End", prose(text(run.end)), run.cut_off && " (a bound of the exploration cut the run off there)"],
        ["Instructions", number(run.instructions)],
        ["Reads of input", number(run.all_reads)],
        ["Interrupts", number(run.all_interrupts)],
        ["Path hash", code(run.path_hash)],
      ]), replay(name)),
      section("Input", inputs(run))),
    (run.registers.length > 0 || run.memory.length > 0) && section("Initial state", initial(run)),
    section("Timeline", events(run)),
    section("New directions", directionTable(run.new_directions, { verdicts: false, details: false, more: decidingColumn(run), empty: "It takes no direction that an earlier test does not take." })),
    section("Executed functions", executedFunctions(run)),
  ];
}

/// The column of the inputs that decide each new direction of a run, if they are known.
function decidingColumn(run) {
  const names = new Map(run.new_directions.map((index, position) => [index, run.decided_by[position]]));
  if (run.decided_by.every((name) => name === null)) return false;
  const inputs = (index) => (names.get(index) === null ? "not known" : text(names.get(index)) || "no input: constant on this path");
  return { title: "Decided by", cell: inputs, key: inputs, className: "wide" };
}

/// A list of values, of which the first are shown until the reader asks for the others.
function values(list, all, show, first = 16) {
  const box = h("span", { class: "values" });
  const fillWith = (most) => box.replaceChildren(...list.slice(0, most).map((value) => code(show(value))));
  const rest = all > list.length ? h("span", { class: "none" }, ` the first ${number(list.length)} of ${number(all)}; all are in the test's file`) : "";
  fillWith(first);
  if (list.length <= first * 1.5) {
    fillWith(list.length);
    return [box, rest];
  }
  const more = h("button", { type: "button", class: "more", click: () => {
    fillWith(list.length);
    more.replaceWith(rest);
  } }, `show all ${number(list.length)}`);
  return [box, " ", more];
}

function inputs(run) {
  return table({
    rows: run.cells, what: "memory-mapped inputs", size: 20, empty: "The run reads no memory-mapped input.",
    columns: [
      { title: "Input", cell: (cell) => code(text(cell[0])), key: (cell) => text(cell[0]) },
      { title: "Reads", cell: (cell) => number(cell[2]), key: (cell) => cell[2], className: "number" },
      { title: "Values, read after read", cell: (cell) => values(cell[1], cell[2], hex), className: "wide" },
    ],
  });
}

function initial(run) {
  const bytes = (digits) => digits.match(/../g) || [];
  return [
    run.registers.length > 0 && table({
      caption: "Registers", rows: run.registers, what: "registers", className: "compact",
      columns: [
        { title: "Register", cell: ([name]) => code(text(name)), key: ([name]) => text(name) },
        { title: "Value", cell: ([, value]) => code(value) },
      ],
    }),
    run.memory.length > 0 && table({
      caption: "Memory", rows: run.memory, what: "ranges", size: 20,
      columns: [
        { title: "Space", cell: ([space]) => text(space), key: ([space]) => text(space) },
        { title: "Address", cell: ([, at]) => code(at), key: ([, at]) => parseInt(at, 16) },
        { title: "Bytes", cell: ([, , , all]) => number(all), className: "number" },
        { title: "Contents", cell: ([, , digits, all]) => values(bytes(digits), all, (byte) => byte, 32), className: "wide" },
      ],
    }),
  ];
}

function events(run) {
  const rows = [
    ...run.reads.map(([after, place, name, value]) => ({ after, place, what: ["reads ", code(text(name))], value: code(hex(value)) })),
    ...run.interrupts.map(([after, place, which]) => ({ after, place, what: [`interrupt ${which} is taken before it`], value: "" })),
  ].sort((a, b) => a.after - b.after);
  if (rows.length === 0) return h("p", { class: "none" }, "No read of an input and no interrupt is recorded.");
  return [timeline(run),
    run.all_reads > run.reads.length && h("p", { class: "none" }, `The first ${number(run.reads.length)} of ${number(run.all_reads)} reads are shown.`),
    run.all_interrupts > run.interrupts.length && h("p", { class: "none" }, `The first ${number(run.interrupts.length)} of ${number(run.all_interrupts)} interrupts are shown.`),
    table({
      rows, what: "events", size: 20,
      columns: [
        { title: "After", cell: (row) => number(row.after), key: (row) => row.after, className: "number" },
        { title: "Instruction", cell: (row) => placeLabel(row.place), key: (row) => row.place },
        { title: "Event", cell: (row) => row.what },
        { title: "Value", cell: (row) => row.value },
      ],
    })];
}

function executedFunctions(run) {
  const size = (fn) => firstInstruction()[firstBlock()[fn + 1]] - firstInstruction()[firstBlock()[fn]];
  const news = new Map();
  for (const index of run.new_directions) {
    const fn = directions().function[index];
    news.set(fn, (news.get(fn) || 0) + 1);
  }
  return [
    run.all_functions > run.functions.length && h("p", { class: "none" }, `The first ${number(run.functions.length)} of ${number(run.all_functions)} functions are shown.`),
    table({
      rows: run.functions, what: "functions", size: 20, sort: [4, true], empty: "The executed code is not recorded.",
      columns: [
        { title: "Function", cell: ([fn]) => link(functionRoute(fn), overview().functions.name[fn]), key: ([fn]) => overview().functions.name[fn], className: "function" },
        { title: "Source", cell: ([fn]) => nameText(sourceLine(overview().functions.place[fn])), key: ([fn]) => sourceLine(overview().functions.place[fn]), className: "source" },
        { title: "Instructions executed", cell: ([fn, executed]) => `${number(executed)} of ${number(size(fn))}`, key: ([, executed]) => executed, className: "number", descending: true },
        { title: "Share", cell: ([fn, executed]) => percent(executed, size(fn)), key: ([fn, executed]) => executed / size(fn), className: "number", descending: true },
        { title: "New directions", cell: ([fn]) => number(news.get(fn) || 0), key: ([fn]) => news.get(fn) || 0, className: "number", descending: true },
      ],
    })];
}
