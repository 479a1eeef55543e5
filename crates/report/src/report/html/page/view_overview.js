// The first screen: what was tested, and how it ended.

function overviewView() {
  const all = overview();
  const [covered, infeasible, open, unsupported] = all.tally;
  const feasible = covered + open + unsupported;
  return [
    heading(all.program, h("p", { class: "lead" }, verdictSentence())),
    all.divergences.length > 0 && h("p", { class: "alarm", role: "alert" },
      `${count(all.divergences.length, "replay differs", "replays differ")} from the exploration. This is a fault of Everypath, and other results may be wrong by it: `,
      link("#/ledger", "see the ledger"), "."),
    bar(all.tally, "bar-large"),
    h("div", { class: "columns" },
      h("section", null, h("h2", null, "Verdicts"), verdictTable(all.tally, feasible + infeasible), statements()),
      h("section", null, h("h2", null, "What was tested"), subject())),
    h("div", { class: "columns" },
      h("section", null, h("h2", null, "Findings"), findingList(5)),
      h("section", null, h("h2", null, "Assumptions that matter most"), assumptionList(5))),
    all.curve.length > 0 && section("Coverage over the search", searchCurve(feasible)),
    section("Coverage over tests", coverageOverTests(all.new_directions, feasible)),
    section("Functions", functionTable(all.functions.name.map((_, fn) => fn)), outside()),
    all.unreached !== null && all.unreached.functions.length > 0 && section("Code that no entry reaches",
      h("p", null, "Symbols or unwind tables name these functions. The control-flow graph of the entries has none of them, and nothing has executed them: they are dead, or deactivated. Their branches have no verdicts."),
      unreachedTable(all.unreached.functions)),
    all.unexecuted.length > 0 && section("Functions that no test executes",
      h("p", null, "The control-flow graph has these functions, and no test and no trace has executed them."),
      unreachedTable(all.unexecuted)),
  ];
}

const REACHED_BY = { "": "control flow from an entry", pointer: "its address, which code computes", "data-pointer": "its address, which data holds" };

/// Functions in which nothing was executed.
function unreachedTable(rows) {
  return table({
    rows, what: "functions", size: 20,
    columns: [
      { title: "Function", cell: (row) => nameText(row.name), key: (row) => row.name, className: "function" },
      { title: "Address", cell: (row) => code(address(row.place)), key: (row) => row.place },
      { title: "Source", cell: (row) => nameText(sourceLine(row.place)), key: (row) => sourceLine(row.place), className: "source" },
      { title: "Bytes", cell: (row) => number(row.size), key: (row) => Number(row.size), className: "number", descending: true },
      { title: "Known by", cell: (row) => REACHED_BY[row.evidence] ?? row.evidence, key: (row) => row.evidence },
    ],
  });
}

/// How much code no entry reaches.
function unreachedStatement() {
  const { unreached } = overview();
  if (unreached === null) return false;
  const functions = unreached.functions.length;
  return h("li", { class: functions === 0 ? "good" : "bad" },
    h("strong", null, functions === 0 ? "No function is unreached" : `${count(functions, "function")} reached by nothing`),
    functions === 0 ? " of those that symbols or unwind tables name" : ` (${count(Number(unreached.bytes), "byte")})`, ".");
}

/// Coverage over the paths of the search, with when it grew last.
function searchCurve(feasible) {
  const { curve, paths } = overview();
  const [lastPaths, lastExecuted] = curve[curve.length - 1].map(Number);
  const end = Math.max(Number(paths), lastPaths);
  return [coverageCurve(curve.map(([at, , covered]) => [Number(at), Number(covered)]), end, feasible, "path"),
    h("p", { class: "none" }, `The last new direction was covered after ${count(lastPaths, "path")} and ${count(lastExecuted, "executed instruction")}.`)];
}

function verdictSentence() {
  const [covered, , open, unsupported] = overview().tally;
  const feasible = covered + open + unsupported;
  if (feasible === 0) return "The program has no feasible branch direction.";
  const rest = open + unsupported;
  const whole = rest === 0 ? ". Every direction is covered or infeasible."
    : rest === 1 ? ", counting the undecided one as feasible." : `, counting the ${number(rest)} undecided ones as feasible.`;
  return [h("strong", null, percent(covered, feasible)), ` of the feasible branch directions are covered: ${number(covered)} of ${number(feasible)}`, whole];
}

const MEANINGS = [
  "a test takes it, and did so again when it was replayed from the start; or a trace takes it, which was recorded elsewhere and not replayed",
  "no input takes it; the evidence is with each direction",
  "undecided; the reason is with each direction",
  "undecided because a model is missing",
];

function verdictTable(tally, all) {
  const routes = ["#/directions/covered", "#/directions/infeasible", "#/open", "#/open"];
  const row = (value, verdict) => h("tr", null,
    h("th", { scope: "row" }, link(routes[verdict], badge(verdict))),
    h("td", { class: "number" }, number(value)), h("td", { class: "number" }, percent(value, all)),
    h("td", { class: "meaning" }, MEANINGS[verdict]));
  return h("table", { class: "verdicts" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Verdict"), h("th", { scope: "col", class: "number" }, "Directions"),
      h("th", { scope: "col", class: "number" }, "Share"), h("th", { scope: "col", class: "meaning" }, "Meaning"))),
    h("tbody", null, tally.map(row)),
    h("tfoot", null, h("tr", null, h("th", { scope: "row" }, link("#/directions", "all directions")),
      h("td", { class: "number" }, number(all)), h("td"), h("td", { class: "meaning" }))));
}

/// Whether coverage is exact and the exploration complete, and why not.
function statements() {
  const all = overview();
  const unresolved = all.exits.filter((exit) => !exit.resolved).length;
  const exits = count(all.exits.length, "indirect exit");
  const exact = all.directions_exact
    ? ["Coverage is exact", `: ${all.exits.length ? `all ${exits} are resolved` : "there is no indirect exit"}, so there is no other direction.`]
    : ["Coverage is not exact", unresolved
      ? `: ${all.exits.length === 1 ? "the indirect exit is" : `${number(unresolved)} of ${exits} ${unresolved === 1 ? "is" : "are"}`} not resolved, so there may be further directions. `
      : ": it depends on assumptions about the environment. "];
  const reasons = all.incomplete_reasons;
  const complete = all.complete
    ? ["Exploration is complete", all.paths === 1 ? ": the only feasible path was run." : `: all ${number(all.paths)} feasible paths were run.`]
    : ["Exploration is not complete", reasons.length ? ": " : "."];
  const criterion = all.criterion_reached ? ["Criterion reached", "."] : ["Criterion not reached", "."];
  const line = (good, [what, rest], ...more) => h("li", { class: good ? "good" : "bad" }, h("strong", null, what), rest, ...more);
  return h("ul", { class: "statements" },
    line(all.directions_exact, exact, !all.directions_exact && link("#/ledger", "Ledger")),
    line(all.complete, complete, !all.complete && reasons.length > 0 && [shortened(reasons[0], 160),
      reasons.length > 1 && [" ", link("#/ledger", `and ${count(reasons.length - 1, "further reason")}`)]]),
    line(all.criterion_reached, criterion), unreachedStatement(), justificationStatement());
}

/// How many open directions are justified, and how many justifications lapsed.
function justificationStatement() {
  const { justifications, is_justified: isJustified, tally } = overview();
  if (justifications.length === 0) return false;
  const valid = justificationOf().size;
  const lapsed = justifications.filter((row) => row.lapse !== null).length;
  return h("li", { class: isJustified && lapsed === 0 ? "good" : "bad" },
    h("strong", null, link("#/open", `${number(valid)} of ${count(tally[OPEN] + tally[UNSUPPORTED], "open direction")} justified`)),
    ", by a reviewer and not by a proof", lapsed > 0 && `; ${count(lapsed, "justification")} lapsed`, ".");
}

function subject() {
  const all = overview();
  return [facts([
    ["Program", all.program],
    ["SHA-256", hash(all.program_hash)],
    ["Configuration", all.configuration_hash ? hash(all.configuration_hash) : "not recorded"],
    ["Architecture", all.architecture],
    ["Criterion", settingText(all.plan.criterion ?? "–")],
    ["Tests", link("#/tests", number(all.tests.length))],
    ["Paths run", number(all.paths)],
    ["Instructions", `${number(all.instructions)} distinct ones executed`],
    ["Solver queries", `${number(all.queries.total)}: ${number(all.queries.sat)} sat, ${number(all.queries.unsat)} unsat, ${number(all.queries.unknown)} unknown`],
  ]), h("details", null, h("summary", null, "Settings of the run"), facts(settings(all.plan, "")))];
}

function settingText(value) {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length ? value.map(settingText).join(", ") : "none";
  return typeof value === "number" ? number(value) : String(value);
}

/// The plan as rows, with nested settings named by their path.
function settings(plan, prefix) {
  return Object.entries(plan ?? {}).flatMap(([name, value]) => (value !== null && typeof value === "object" && !Array.isArray(value)
    ? settings(value, `${prefix}${name}.`) : [[code(prefix + name), settingText(value)]]));
}

function findingList(most) {
  const { findings } = overview();
  if (findings.length === 0) return h("p", { class: "none" }, "No oracle reported a fault on any path that was run.");
  return [h("ul", { class: "cards" }, findings.slice(0, most).map((finding) => h("li", { class: "finding" },
    h("div", null, h("strong", null, prose(sentence(finding.message)))),
    h("div", { class: "below" }, placeLabel(finding.place), " · oracle ", code(finding.oracle), " · ", link(testRouteOfName(finding.test), `test ${finding.test}`))))),
  h("p", null, link("#/findings", findings.length > most ? `All ${count(findings.length, "finding")}` : "Details of the findings"))];
}

/// The assumptions, those that may have lost paths first, then by how often they were made.
function rankedAssumptions() {
  return [...overview().assumptions].sort((a, b) => b.loses_paths - a.loses_paths || Number(b.count) - Number(a.count));
}

/// The assumptions with the same words are one entry, with the number of places.
function assumptionList(most) {
  const groups = new Map();
  for (const assumption of rankedAssumptions()) {
    const group = groups.get(assumption.message) || { first: assumption, places: new Set(), times: 0 };
    group.places.add(assumption.place);
    group.times += Number(assumption.count);
    groups.set(assumption.message, group);
  }
  if (groups.size === 0) return h("p", { class: "none" }, "None was made.");
  const ranked = [...groups.values()].sort((a, b) => b.first.loses_paths - a.first.loses_paths || b.times - a.times);
  return [h("ul", { class: "cards" }, ranked.slice(0, most).map(({ first, places, times }) => h("li", { class: first.loses_paths ? "loses" : "" },
    h("div", null, shortened(sentence(first.message), 180)),
    h("div", { class: "below" }, placeLabel(first.place), places.size > 1 && ` and ${count(places.size - 1, "other place")}`,
      ` · ${count(times, "time")}`, first.loses_paths && " · may have lost paths")))),
  h("p", null, link("#/ledger", overview().assumptions.length > 1 ? `All ${count(overview().assumptions.length, "assumption")}` : "Ledger"))];
}

/// The number of directions that are in no listed function.
function outside() {
  const listed = overview().functions.tally.flat().reduce((sum, value) => sum + value, 0);
  const rest = overview().tally.reduce((sum, value) => sum + value, 0) - listed;
  return rest > 0 && h("p", { class: "none" }, `${count(rest, "direction")} ${rest === 1 ? "is" : "are"} in code that belongs to no listed function: `,
    link("#/directions", "all directions"), ".");
}

function findingsView() {
  const { findings } = overview();
  return [heading("Findings", h("p", { class: "lead" }, "Faults of the program that oracles reported. A replay of the test has shown each of them.")),
    table({
      rows: findings, what: "findings", empty: "No oracle reported a fault on any path that was run.",
      columns: [
        { title: "Oracle", cell: (finding) => code(finding.oracle), key: (finding) => finding.oracle },
        { title: "Fault", cell: (finding) => shortened(finding.message), className: "wide" },
        { title: "Instruction", cell: (finding) => placeLabel(finding.place), key: (finding) => finding.place },
        { title: "Test", cell: (finding) => link(testRouteOfName(finding.test), finding.test), key: (finding) => finding.test },
      ],
    }),
    findings.length > 0 && section(`How to see the fault of test ${findings[0].test}`, replay(findings[0].test))];
}
