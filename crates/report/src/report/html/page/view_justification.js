// Justifications: why a reviewer accepts that directions stay open. They are shown apart from proofs.

/// The justification of a direction, by its index.
const justificationOf = once(() => new Map(overview().justifications.filter((row) => row.direction >= 0).map((row) => [row.direction, row])));

const signatory = (row) => row.signatory || h("span", { class: "none" }, "nobody is named");

/// The justification of an open direction, or the entry that would justify it.
function justificationSection(index) {
  const row = justificationOf().get(index);
  if (row) {
    return section("Justification", h("p", { class: "reason" }, shortened(sentence(row.reason), 2000)),
      h("p", null, signatory(row), ". A judgement of the reviewer, not a proof: the direction is still open. It lapses when the code of the function changes."));
  }
  const draft = justificationDraft(index);
  return draft && section("Accept it as open", h("p", null, "If it may stay open, add this to ", code("everypath.toml"), ", with your reason:"), command(draft));
}

/// An entry for the configuration; null if the function of the branch is not known.
function justificationDraft(index) {
  const digest = overview().digests[directions().digest[index]];
  if (!digest) return null;
  const [branch, target] = [directions().branch[index], directions().target[index]].map((place) => {
    const [, name, offset] = /^(.*?)(?:\+(0x[0-9a-f]+))?$/s.exec(functionOffset(place) || "");
    return { name, offset: offset || "0x0", address: address(place) };
  });
  const [name, digits] = digest;
  const to = target.name === branch.name ? `+${target.offset}` : target.address;
  return `[[justification]]\nfunction = ${JSON.stringify(name)}\noffset = ${branch.offset}\ntarget = "${to}"\ncode = "${digits}"\nreason = ""\nby = ""`;
}

/// The justified directions, and the justifications that lapsed.
function justificationTables() {
  const all = overview().justifications;
  const [valid, lapsed] = [all.filter((row) => row.lapse === null), all.filter((row) => row.lapse !== null)];
  return [
    valid.length > 0 && section("Justified directions",
      h("p", null, `${count(valid.length, "open direction")} ${valid.length === 1 ? "is" : "are"} justified, by a reviewer and not by a proof${overview().is_justified ? "; no other direction is open." : "."}`),
      table({
        rows: valid, what: "justifications",
        columns: [
          { title: "Direction", cell: (row) => directionLink(row.direction), key: (row) => row.direction },
          { title: "Function", cell: (row) => nameText(functionOffset(directions().branch[row.direction])), className: "function" },
          { title: "Justification", cell: (row) => shortened(row.reason, 300), className: "wide" },
          { title: "By", cell: signatory, key: (row) => row.signatory || "" },
        ],
      })),
    lapsed.length > 0 && section("Lapsed justifications", h("p", null, "These entries of the configuration count for nothing."), table({
      rows: lapsed, what: "justifications",
      columns: [
        { title: "Entry", cell: (row) => code(row.place), key: (row) => row.place },
        { title: "Why it lapsed", cell: (row) => prose(row.lapse), className: "wide" },
        { title: "Justification", cell: (row) => shortened(row.reason, 300), className: "wide" },
        { title: "By", cell: signatory, key: (row) => row.signatory || "" },
      ],
    })),
  ];
}
