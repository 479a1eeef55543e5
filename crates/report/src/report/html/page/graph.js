// The control-flow graph of a function, as a picture.

/// More blocks than this cannot be read in a picture.
const MOST_BLOCKS = 400;
const NODE_WIDTH = 190, NODE_HEIGHT = 40;

/// The edges of a function: { from, to, direction } with an index of a direction, or -1.
function functionEdges(fn) {
  const [first, end] = [firstBlock()[fn], firstBlock()[fn + 1]];
  const edges = [];
  for (let block = first; block < end; block++) {
    const byTarget = new Map();
    for (let at = firstInstruction()[block]; at < firstInstruction()[block + 1]; at++) {
      for (const index of directionsOfBranch().get(instructionPlaces()[at]) || []) byTarget.set(directions().target[index], index);
    }
    for (const successor of listing().block_successors[block]) {
      const target = instructionPlaces()[firstInstruction()[first + successor]];
      edges.push({ from: block - first, to: successor, direction: byTarget.get(target) ?? -1 });
    }
  }
  return edges;
}

const edgeClass = (direction) => (direction < 0 ? "flow" : VERDICTS[directions().verdict[direction]]);

function legend() {
  const entry = (kind, label) => h("span", { class: "entry" },
    s("svg", { width: 34, height: 12, "aria-hidden": "true" }, s("path", { class: "edge " + kind, d: "M1,6H33" })), label);
  return h("p", { class: "legend" }, entry("covered", "covered"), entry("infeasible", "infeasible"), entry("open", "open"),
    entry("unsupported", "unsupported"), entry("flow", "not a branch direction"),
    h("span", { class: "entry" }, s("svg", { width: 20, height: 12, "aria-hidden": "true" },
      s("rect", { class: "node idle", x: 1, y: 1, width: 18, height: 10, rx: 2 })), "block that no test executes"));
}

/// The picture in a box that scrolls, or a sentence why there is none.
function graph(fn) {
  const blocks = listing().function_blocks[fn];
  if (blocks > MOST_BLOCKS) {
    return h("div", null, h("h2", null, "Control-flow graph"), h("p", { class: "none" }, `No graph is drawn: ${number(blocks)} blocks are more than the ${number(MOST_BLOCKS)} that can be read in a picture. `,
      "The listing has all of them."));
  }
  const edges = functionEdges(fn);
  const picture = layOut(blocks, edges.map(({ from, to }) => [from, to]), NODE_WIDTH, NODE_HEIGHT);
  const first = firstBlock()[fn];
  const boxes = picture.at.map(({ x, y }, block) => graphNode(fn, first + block, x, y));
  const kinds = ["flow", ...VERDICTS];
  const marker = (kind) => s("marker", { id: "arrow-" + kind, class: "arrow " + kind, viewBox: "0 0 8 8", refX: 3, refY: 4,
    markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M0,0L8,4L0,8z" }));
  const lines = edges.map(({ direction }, edge) => {
    const kind = edgeClass(direction);
    const line = s("path", { class: "edge " + kind, d: picture.paths[edge], "marker-end": `url(#arrow-${kind})` });
    if (direction < 0) return line;
    return s("a", { href: directionRoute(direction), tabindex: "-1" },
      s("path", { class: "grip", d: picture.paths[edge] }), line,
      s("title", null, `${address(directions().branch[direction])} → ${address(directions().target[direction])}: ${kind}`));
  });
  const svg = s("svg", { viewBox: `${picture.left} 0 ${picture.width} ${picture.height}`, class: "graph", role: "group",
    "aria-label": `Control-flow graph of ${count(blocks, "block")}` }, s("defs", null, kinds.map(marker)), lines, boxes);
  let scale = 1;
  const zoom = (to) => {
    scale = Math.min(Math.max(to, 0.15), 2);
    svg.setAttribute("width", picture.width * scale);
    svg.setAttribute("height", picture.height * scale);
  };
  zoom(1);
  const box = h("div", { class: "canvas", tabindex: "0", "aria-label": "Graph, scrollable" }, svg);
  const tool = (label, title, to) => h("button", { type: "button", title, click: () => zoom(to()) }, label);
  // The box has no width before it is on the page.
  requestAnimationFrame(() => {
    if (picture.width > box.clientWidth) zoom(Math.max((box.clientWidth - 24) / picture.width, 0.8));
    const entry = picture.at[0].x + NODE_WIDTH / 2 - picture.left;
    box.scrollLeft = entry * scale - box.clientWidth / 2;
  });
  return h("div", null,
    h("div", { class: "tools" }, h("h2", null, "Control-flow graph"), tool("−", "Smaller", () => scale / 1.25), tool("+", "Larger", () => scale * 1.25),
      tool("100 %", "Full size", () => 1), tool("Fit", "Fit the width", () => (box.clientWidth - 24) / picture.width)),
    legend(), box);
}

function graphNode(fn, block, x, y) {
  const [from, to] = [firstInstruction()[block], firstInstruction()[block + 1]];
  const [start, last] = [instructionPlaces()[from], to - 1];
  const executed = listing().instruction_tests[from] > 0;
  const words = text(listing().instruction_text[last]);
  const line = listing().instruction_line[last];
  return s("a", { href: `${functionRoute(fn)}/${address(start)}`, class: "block" },
    s("title", null, `${count(to - from, "instruction")}, executed by ${count(listing().instruction_tests[from], "test")}`),
    s("rect", { class: executed ? "node" : "node idle", x, y, width: NODE_WIDTH, height: NODE_HEIGHT, rx: 3 }),
    s("text", { class: "head", x: x + 9, y: y + 16 }, address(start)),
    line >= 0 && s("text", { class: "line", x: x + NODE_WIDTH - 9, y: y + 16, "text-anchor": "end" }, "line " + listing().line_number[line]),
    s("text", { x: x + 9, y: y + 32 }, words.length > 25 ? words.slice(0, 24) + "…" : words));
}
