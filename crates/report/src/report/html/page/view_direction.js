// Branch directions: one with its evidence, all of them, and the open ones by cause.

function directionView(name) {
  const index = directionByRoute(name);
  if (index < 0) return missing(`There is no direction ${name}`);
  const [branch, target, verdict] = [directions().branch[index], directions().target[index], directions().verdict[index]];
  const others = (directionsOfBranch().get(branch) || []).filter((other) => other !== index);
  const block = blockOfPlace(branch);
  return [
    heading(`${address(branch)} → ${address(target)}`, h("p", { class: "lead" }, "Branch direction ", badge(verdict))),
    facts([["Branch", placeLabel(branch)], ["Target", placeLabel(target)]]),
    explanation(index, verdict),
    others.length > 0 && section("Other directions of this branch", directionTable(others)),
    block >= 0 && section("Code", h("div", { class: "listing" }, codeTable(functionOfPlace(branch), block, block + 1))),
  ];
}

/// The block of an instruction, or -1.
function blockOfPlace(place) {
  const fn = functionOfPlace(place);
  return fn < 0 ? -1 : blockOfAddress(fn, address(place));
}

/// What the verdict rests on, and how to check it.
function explanation(index, verdict) {
  const all = overview();
  const detail = directions().detail[index];
  if (verdict === COVERED) {
    const name = all.tests[detail];
    const trace = directions().trace[index];
    if (trace >= 0) return section("Covered", h("p", null, "The first to take it is ", text(trace), ", which was recorded elsewhere and is not replayed."));
    return name !== undefined && section("Covered", h("p", null, "The first test that takes it is ", link(testRoute(detail), `test ${name}`), "."), replay(name));
  }
  const reason = text(detail);
  if (verdict === INFEASIBLE) return section("Evidence", h("p", { class: "reason" }, shortened(sentence(reason), 2000)), check(index, reason));
  const cause = all.causes[causeOfDirection().get(index)];
  return [section(verdict === OPEN ? "Why it is open" : "Why it is unsupported", h("p", { class: "reason" }, shortened(sentence(reason), 2000)),
    cause?.what_to_try && h("p", null, h("strong", null, "What to try: "), prose(cause.what_to_try)),
    cause && cause.directions.length > 1 && h("p", null, link(`#/open/${causeOfDirection().get(index)}`, `All ${count(cause.directions.length, "direction")} with this cause`))), justificationSection(index)];
}

/// How a third party checks the evidence of an infeasible direction.
function check(index, evidence) {
  const all = overview();
  const certificates = directions().certificates[index].map(text);
  if (certificates.length > 0) {
    return [h("h3", null, "How to check it"),
      h("p", null, "Each unsatisfiable solver query has a certificate, which is checked independently of the solver that made it. In the folder of the program:"),
      command(certificates.map((name) => `everypath check-certificate ${suiteFile(`certificates/${name}`)}`).join("\n"))];
  }
  const how = /unsatisfiable|solver/.test(evidence) ? "The certificates of the solver's answers were not written. Run again with the same settings and " : "Run again with the same settings; the same program, settings and version give the same result. With ";
  return [h("h3", null, "How to check it"),
    h("p", null, how, code("--certificates"), ", each unsatisfiable query behind the verdict gets a certificate that ", code("everypath check-certificate"), " checks:"),
    command(`everypath test --certificates ${shellWord(all.program)}${all.flags}`)];
}

function directionsView(filter) {
  const wanted = VERDICTS.indexOf(filter);
  const indexes = [];
  directions().verdict.forEach((verdict, index) => (wanted < 0 || verdict === wanted) && indexes.push(index));
  const choice = (name, label) => link(name ? `#/directions/${name}` : "#/directions", label);
  return [
    heading("Branch directions", h("p", { class: "lead" }, "A branch direction is a conditional or indirect instruction and one of its successors.")),
    h("nav", { class: "choices", "aria-label": "Verdict" }, ["", ...VERDICTS].map((name) => {
      const anchor = choice(name, name || "all");
      if (name === (filter || "")) anchor.setAttribute("aria-current", "page");
      return anchor;
    })),
    directionTable(indexes, { verdicts: wanted < 0, empty: `No direction is ${filter}.` }),
  ];
}

/// Open and unsupported directions by cause, the most frequent first.
function openView(wanted) {
  const { causes, tally } = overview();
  const undecided = tally[OPEN] + tally[UNSUPPORTED];
  if (undecided === 0) return [heading("Open directions"), h("p", { class: "none" }, "Every direction is covered or infeasible."), justificationTables()];
  return [
    heading("Open directions", h("p", { class: "lead" },
      `${count(undecided, "direction")} ${undecided === 1 ? "is" : "are"} undecided, for ${count(causes.length, "cause")}. Reasons that differ only in addresses and numbers are one cause.`)),
    justificationTables(),
    h("ol", { class: "causes" }, causes.map((cause, index) => causeEntry(cause, index, undecided, String(index) === wanted))),
  ];
}

function causeEntry(cause, index, undecided, open) {
  const details = lazyDetails(`Show the ${count(cause.directions.length, "direction")}`,
    () => directionTable(cause.directions, { verdicts: false, details: cause.reasons.length > 1 }), open);
  if (open) requestAnimationFrame(() => entry.scrollIntoView({ block: "start" }));
  const entry = h("li", { class: "cause", id: `cause-${index}` },
    h("div", { class: "share" }, h("strong", null, number(cause.directions.length)), h("span", null, percent(cause.directions.length, undecided))),
    h("div", { class: "about" },
      h("p", { class: "reason" }, cause.unsupported && [badge(UNSUPPORTED), " "], shortened(sentence(cause.text), 400)),
      cause.what_to_try && h("p", { class: "try" }, h("strong", null, "What to try: "), prose(cause.what_to_try)), details));
  return entry;
}
