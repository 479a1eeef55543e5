// The ledger: what the verdicts depend on.

function ledgerView() {
  const all = overview();
  const losing = all.assumptions.filter((assumption) => assumption.loses_paths).length;
  const unresolved = all.exits.filter((exit) => !exit.resolved).length;
  return [
    heading("Ledger", h("p", { class: "lead" },
      `${count(all.assumptions.length, "assumption")}, ${losing === 0 ? "none of which can have lost paths" : `${number(losing)} of which may have lost paths`}; `,
      `${count(all.exits.length, "indirect exit")}, ${number(unresolved)} not resolved; ${count(all.undeclared.length, "undeclared register")}.`)),
    all.divergences.length > 0 && section("Divergences",
      h("p", { class: "alarm" }, "Replays from the entry that differ from the exploration: a fault of Everypath. Please report it."),
      h("ul", null, all.divergences.map((divergence) => h("li", null, shortened(divergence, 600))))),
    all.incomplete_reasons.length > 0 && section("Why the exploration is not complete", table({
      rows: all.incomplete_reasons, what: "reasons", size: 10, columns: [{ title: "Reason", cell: (reason) => shortened(reason, 400), className: "wide" }],
    })),
    all.assumptions.length > 0 && section("Assumptions by kind", assumptionKinds()),
    section("Assumptions", table({
      rows: rankedAssumptions(), what: "assumptions", empty: "None was made.",
      columns: [
        { title: "Paths", cell: (row) => (row.loses_paths ? h("strong", { class: "lost" }, "may be lost") : "none lost"), key: (row) => (row.loses_paths ? 0 : 1) },
        { title: "Kind", cell: (row) => code(row.kind), key: (row) => row.kind },
        { title: "Instruction", cell: (row) => placeLabel(row.place), key: (row) => row.place },
        { title: "Assumption", cell: (row) => shortened(row.message), className: "wide" },
        { title: "Times", cell: (row) => number(row.count), key: (row) => Number(row.count), className: "number", descending: true },
      ],
    })),
    all.undeclared.length > 0 && section("Undeclared registers",
      h("p", null, "The program's decisions depend on these peripheral registers, which the configuration does not declare. Entries for ", code("everypath.toml"), ":"),
      command(all.undeclared.join("\n"))),
    section("Indirect exits", h("p", null, "An indirect jump, call or return is resolved if it has no other targets than those that are known."), table({
      rows: [...all.exits].sort((a, b) => a.resolved - b.resolved || a.place - b.place), what: "indirect exits", empty: "The program has none.",
      columns: [
        { title: "State", cell: (row) => (row.resolved ? "resolved" : h("strong", { class: "lost" }, "not resolved")), key: (row) => (row.resolved ? 1 : 0) },
        { title: "Kind", cell: (row) => row.kind, key: (row) => row.kind },
        { title: "Instruction", cell: (row) => placeLabel(row.place), key: (row) => row.place },
        { title: "Targets", cell: (row) => targetList(row.targets), key: (row) => row.targets.length, descending: true },
        { title: "Reason", cell: (row) => shortened(row.reason), className: "wide" },
      ],
    })),
  ];
}

/// The kinds of assumptions, with what a user can do about them.
function assumptionKinds() {
  const kinds = new Map();
  for (const row of rankedAssumptions()) {
    const kind = kinds.get(row.kind) || { kind: row.kind, entries: 0, losing: 0, times: 0, advice: [] };
    kind.entries += 1;
    kind.losing += row.loses_paths ? 1 : 0;
    kind.times += Number(row.count);
    if (row.what_to_do && !kind.advice.includes(row.what_to_do)) kind.advice.push(row.what_to_do);
    kinds.set(row.kind, kind);
  }
  const numeric = (title, value) => ({ title, cell: (row) => number(value(row)), key: value, className: "number", descending: true });
  return table({
    rows: [...kinds.values()], what: "kinds", sort: [2, true],
    columns: [
      { title: "Kind", cell: (row) => code(row.kind), key: (row) => row.kind },
      numeric("Entries", (row) => row.entries),
      numeric("May lose paths", (row) => row.losing),
      numeric("Times", (row) => row.times),
      { title: "What to do", cell: (row) => (row.advice.length > 0 ? prose(row.advice.join(" ")) : "–"), className: "wide" },
    ],
  });
}

function targetList(targets) {
  if (targets.length === 0) return "none known";
  const list = h("div", { class: "targets" });
  const draw = (most) => list.replaceChildren(...targets.slice(0, most).map((target) => h("div", null, placeLabel(target))));
  draw(3);
  if (targets.length <= 3) return list;
  const more = h("button", { type: "button", class: "more", click: () => { draw(targets.length); more.remove(); } }, `show all ${number(targets.length)}`);
  return [list, more];
}
