// Routes: the part of the address behind `#` names a view, which is made when it is asked for.

const ROUTES = {
  "": overviewView,
  findings: findingsView,
  tests: testsView,
  test: testView,
  directions: directionsView,
  direction: directionView,
  open: openView,
  ledger: ledgerView,
  function: functionView,
  source: sourceView,
};

const PAGES = [["", "Overview"], ["directions", "Directions"], ["open", "Open"], ["findings", "Findings"], ["tests", "Tests"], ["ledger", "Ledger"]];
/// Views that belong to a page of the navigation.
const PARENTS = { test: "tests", direction: "directions", function: "", source: "" };

let shown = null;

/// A part of a route; one that is not encoded correctly stays as it is.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function show() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const [name, ...rest] = parts;
  // An address of the function that is shown needs no new page.
  const key = name === "function" ? `function/${rest[0]}` : parts.join("/");
  const listed = document.getElementById("disassembly");
  if (key === shown && listed && rest[1]) return listed.show(rest[1]);
  shown = key;
  const main = document.getElementById("main");
  const view = Object.hasOwn(ROUTES, name) ? ROUTES[name](...rest) : missing(`There is no page ${name}`);
  main.className = "view-" + (name || "overview");
  main.replaceChildren(...[view].flat(Infinity).filter(Boolean));
  const title = main.querySelector("h1");
  document.title = (name === "" ? "" : `${title.textContent} - `) + `${overview().program} - Everypath`;
  for (const anchor of document.querySelectorAll("#navigation a")) {
    const current = anchor.dataset.page === (PARENTS[name] ?? name);
    if (current) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  if (!rest[1]) window.scrollTo(0, 0);
  // When the view is on the screen: for the check that a large report opens quickly.
  requestAnimationFrame(() => setTimeout(() => performance.mark("shown")));
}

function startNavigation() {
  const { findings, tally } = overview();
  const counts = { open: tally[OPEN] + tally[UNSUPPORTED], findings: findings.length };
  document.getElementById("navigation").append(...PAGES.map(([page, label]) =>
    h("a", { href: "#/" + page, "data-page": page }, label, counts[page] > 0 && [" ", h("span", { class: "count" }, number(counts[page]))])));
  document.getElementById("foot").append(
    h("span", null, `Written by Everypath ${overview().version}.`), " ",
    h("span", null, overview().program, " · SHA-256 ", hash(overview().program_hash)));
}

function startTheme() {
  const button = document.getElementById("theme");
  const stored = { get: () => null, set: () => {} };
  try {
    // A page from disk may not have storage.
    localStorage.getItem("everypath-theme");
    stored.get = () => localStorage.getItem("everypath-theme");
    stored.set = (value) => localStorage.setItem("everypath-theme", value);
  } catch { /* the choice lasts as long as the page */ }
  let chosen = stored.get();
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const dark = chosen ? chosen === "dark" : system.matches;
    if (chosen) document.documentElement.dataset.theme = chosen;
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    chosen = (chosen ? chosen === "dark" : system.matches) ? "light" : "dark";
    stored.set(chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

startTheme();
startNavigation();
startSearch();
show();
window.addEventListener("hashchange", () => {
  const before = shown;
  show();
  // Readers with a keyboard or a screen reader go on in the new page.
  if (shown !== before) document.getElementById("main").focus({ preventScroll: true });
});
// The skip link is the only one that does not name a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
