// Search over functions, addresses, source files, tests, findings, reasons and assumptions.

const MOST_RESULTS = 7;

/// What can be found by its words: { kind, words, label, below, route }.
const searchIndex = once(() => {
  const all = overview(), entries = [];
  const add = (kind, label, below, route) => entries.push({ kind, words: `${label} ${below}`.toLowerCase(), label, below, route });
  all.functions.name.forEach((name, fn) => {
    const place = all.functions.place[fn];
    add("Functions", name, `${address(place)} ${sourceLine(place)}`, functionRoute(fn));
  });
  const files = new Set();
  listing().file_path.forEach((path) => files.add(text(path)));
  places().file.forEach((file) => file >= 0 && files.add(text(file)));
  files.forEach((path) => add("Source files", fileName(path), path, "#/source/" + encodeURIComponent(path)));
  all.tests.forEach((name, test) => add("Tests", `test ${name}`, count(all.new_directions[test], "new direction"), testRoute(test)));
  all.findings.forEach((finding) => add("Findings", finding.message, `${finding.oracle} ${functionOffset(finding.place)}`, "#/findings"));
  all.causes.forEach((cause, index) => add("Reasons", cause.text, count(cause.directions.length, "direction"), `#/open/${index}`));
  all.assumptions.forEach((row) => add("Assumptions", row.message, `${row.kind} ${functionOffset(row.place)}`, "#/ledger"));
  return entries;
});

/// The best entries of each kind: those that begin with the words before those that contain them.
function find(query) {
  const words = query.trim().toLowerCase();
  if (words === "") return [];
  const kinds = new Map();
  const keep = (kind, entry, first) => {
    if (!kinds.has(kind)) kinds.set(kind, [[], []]);
    kinds.get(kind)[first ? 0 : 1].push(entry);
  };
  const parts = words.split(/\s+/);
  for (const entry of searchIndex()) {
    if (parts.every((part) => entry.words.includes(part))) keep(entry.kind, entry, entry.label.toLowerCase().startsWith(words));
  }
  const digits = words.replace(/^0x/, "");
  if (/^[0-9a-f]+$/.test(digits)) {
    places().address.forEach((hexadecimal, place) => {
      if (!hexadecimal.includes(digits) || (functionOfPlace(place) < 0 && !directionsOfBranch().has(place))) return;
      const branches = directionsOfBranch().get(place);
      const route = codeRoute(place) || directionRoute(branches[0]);
      keep("Addresses", { kind: "Addresses", label: "0x" + hexadecimal, below: `${functionOffset(place)} ${sourceLine(place)}${branches ? " · branch" : ""}`, route }, hexadecimal === digits);
    });
  }
  return [...kinds].map(([kind, [first, rest]]) => ({ kind, entries: [...first, ...rest].slice(0, MOST_RESULTS), all: first.length + rest.length }));
}

function startSearch() {
  const box = document.getElementById("search"), list = document.getElementById("results");
  let options = [], active = -1, timer = 0;
  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
    active = -1;
  };
  const choose = (index) => {
    if (active >= 0) options[active].setAttribute("aria-selected", "false");
    active = index;
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", options[active].id);
  };
  const draw = () => {
    if (box.value.trim() === "") return close();
    options = [];
    active = -1;
    const groups = find(box.value).map(({ kind, entries, all }) => h("div", { role: "group", "aria-label": kind },
      h("div", { class: "kind" }, kind, h("span", null, all > entries.length ? `${entries.length} of ${number(all)}` : "")),
      entries.map((entry) => {
        const option = h("a", { href: entry.route, role: "option", id: `option-${options.length}`, tabindex: "-1", "aria-selected": "false", click: close },
          h("span", { class: "label" }, entry.label.slice(0, 120)), h("span", { class: "below" }, entry.below));
        options.push(option);
        return option;
      })));
    list.replaceChildren(...(groups.length ? groups : [h("p", { class: "none" }, "Nothing found.")]));
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(draw, 60);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown" && options.length) choose((active + 1) % options.length);
    else if (event.key === "ArrowUp" && options.length) choose((active - 1 + options.length) % options.length);
    else if (event.key === "Enter") {
      clearTimeout(timer);
      draw();
      if (options.length) options[Math.max(active, 0)].click();
      box.blur();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  document.addEventListener("click", (event) => !event.target.closest(".search") && close());
}
