// Tables: sorted by a click on a heading, and paged, so that a long one costs no more than a page of it.

const PAGE = 50;

/// A table. `columns` are { title, cell(row), key(row)?, className?, width? }; one with a key can be sorted by. `rows` are
/// any values. `sort` is [column, descending]. `what` names the rows.
function table({ caption, columns, rows, sort, what = "rows", size = PAGE, empty, className }) {
  if (rows.length === 0) return h("p", { class: "none" }, empty || `No ${what}.`);
  let page = 0, shown = size, order = rows, by = sort || null;
  const body = h("tbody"), pager = h("div", { class: "pager" });
  const heads = columns.map((column, index) => {
    const title = column.key
      ? h("button", { type: "button", click: () => sortBy(index) }, column.title)
      : column.title;
    return h("th", { scope: "col", class: column.className }, title);
  });

  function sortBy(index) {
    by = [index, by && by[0] === index ? !by[1] : Boolean(columns[index].descending)];
    page = 0;
    arrange();
  }
  function arrange() {
    if (by) {
      const { key } = columns[by[0]];
      const sign = by[1] ? -1 : 1;
      const keyed = rows.map((row, index) => [key(row), index, row]);
      keyed.sort((a, b) => (a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[1] - b[1]));
      order = keyed.map((entry) => entry[2]);
    }
    heads.forEach((head, index) => {
      if (by && by[0] === index) head.setAttribute("aria-sort", by[1] ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    draw();
  }
  function draw() {
    const part = order.slice(page * shown, (page + 1) * shown);
    body.replaceChildren(...part.map((row) =>
      h("tr", null, columns.map((column) => h("td", { class: column.className }, column.cell(row))))));
    drawPager();
  }
  function drawPager() {
    if (rows.length <= size) return;
    const pages = Math.ceil(rows.length / shown);
    const go = (to) => () => { page = Math.min(Math.max(to, 0), pages - 1); draw(); };
    const button = (label, to, enabled) =>
      h("button", { type: "button", disabled: !enabled, click: go(to) }, label);
    const sizes = h("select", { "aria-label": "Rows on a page", change: (event) => {
      shown = Number(event.target.value);
      page = 0;
      draw();
    } }, [...new Set([size, 50, 200, 1000])].map((option) => h("option", { value: option, selected: option === shown }, `${option} a page`)));
    const last = Math.min((page + 1) * shown, rows.length);
    pager.replaceChildren(
      h("span", { class: "range" }, `${number(page * shown + 1)}–${number(last)} of ${number(rows.length)} ${what}`),
      button("First", 0, page > 0), button("Previous", page - 1, page > 0),
      button("Next", page + 1, page + 1 < pages), button("Last", pages - 1, page + 1 < pages), sizes);
  }
  arrange();
  return h("div", { class: "table" },
    h("div", { class: "scroll" },
      h("table", { class: className }, caption && h("caption", null, caption), h("thead", null, h("tr", null, heads)), body)),
    pager);
}

/// A table of names and values.
function facts(rows) {
  return h("table", { class: "facts" }, h("tbody", null, rows.filter(Boolean).map(([name, ...value]) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", null, ...value)))));
}
