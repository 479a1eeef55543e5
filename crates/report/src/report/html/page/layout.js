// Layered graph layout (Sugiyama, Tagawa, Toda 1981): back edges by depth-first search, ranks by longest paths, order within a
// rank by barycentres, orthogonal edges. Back edges run at the right side of the ranks that they pass.

const NODE_GAP = 22, DUMMY_WIDTH = 12, LANE = 9, RANK_GAP = 26;
/// A shift of no more than this is drawn as a slanted line, which disturbs less than two corners.
const SLANT = 7;
/// With more dummy vertices than this, long edges run at the side, too.
const MOST_DUMMIES = 4000;

/// The edges that close a cycle, and the nodes in reverse postorder.
function depthFirst(nodes, edges) {
  const out = Array.from({ length: nodes }, () => []);
  edges.forEach(([from], edge) => out[from].push(edge));
  const state = new Uint8Array(nodes), back = new Uint8Array(edges.length), order = [];
  for (let root = 0; root < nodes; root++) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1], [node, next] = top;
      if (next === out[node].length) {
        state[node] = 2;
        order.push(node);
        stack.pop();
        continue;
      }
      top[1]++;
      const edge = out[node][next], to = edges[edge][1];
      if (state[to] === 1) back[edge] = 1;
      else if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  return { back, order: order.reverse(), out };
}

/// The layout of nodes of one size. Returns { at: [{ x, y }], paths: [string], width, height }.
function layOut(nodes, edges, nodeWidth, nodeHeight) {
  const { back, order, out } = depthFirst(nodes, edges);
  const rank = new Int32Array(nodes);
  for (const node of order) {
    for (const edge of out[node]) {
      if (!back[edge]) rank[edges[edge][1]] = Math.max(rank[edges[edge][1]], rank[node] + 1);
    }
  }
  // Vertices are nodes, and dummies where an edge passes a rank.
  const vertices = [], ranks = [];
  const add = (at, width) => {
    (ranks[at] = ranks[at] || []).push(vertices.length);
    vertices.push({ rank: at, width, x: 0, up: [], down: [] });
    return vertices.length - 1;
  };
  const vertexOf = new Int32Array(nodes);
  for (const node of order) vertexOf[node] = add(rank[node], nodeWidth);
  let dummies = 0;
  edges.forEach(([from, to], edge) => { if (!back[edge]) dummies += rank[to] - rank[from] - 1; });
  const chains = edges.map(([from, to], edge) => {
    const length = rank[to] - rank[from];
    if (back[edge] || (length > 1 && dummies > MOST_DUMMIES)) return null;
    const chain = [vertexOf[from]];
    for (let step = 1; step < length; step++) chain.push(add(rank[from] + step, DUMMY_WIDTH));
    chain.push(vertexOf[to]);
    for (let step = 1; step < chain.length; step++) {
      vertices[chain[step - 1]].down.push(chain[step]);
      vertices[chain[step]].up.push(chain[step - 1]);
    }
    return chain;
  });
  orderRanks(vertices, ranks);
  placeRanks(vertices, ranks, chains);
  return route(nodes, edges, vertices, ranks, chains, vertexOf, rank, nodeWidth, nodeHeight);
}

/// Barycentre sweeps: each vertex moves to the average position of its neighbours in the rank before (or behind).
function orderRanks(vertices, ranks) {
  const position = new Float64Array(vertices.length);
  const number = (row) => row.forEach((vertex, index) => (position[vertex] = index));
  ranks.forEach(number);
  for (let sweep = 0; sweep < 12; sweep++) {
    const side = sweep % 2 ? "down" : "up";
    const rows = sweep % 2 ? [...ranks].reverse() : ranks;
    for (const row of rows) {
      const centre = new Map(row.map((vertex) => {
        const near = vertices[vertex][side];
        const sum = near.reduce((total, other) => total + position[other], 0);
        return [vertex, near.length ? sum / near.length : position[vertex]];
      }));
      row.sort((a, b) => centre.get(a) - centre.get(b) || position[a] - position[b]);
      number(row);
    }
  }
}

/// Positions of a row near those that are wished for, at least `apart` from each other: weighted least squares by the
/// pool-adjacent-violators algorithm (Ayer et al. 1955). `wish` returns a position and its weight.
function settle(row, wish, apart) {
  const offsets = [], pools = [];
  row.forEach((vertex, index) => {
    offsets.push(index ? offsets[index - 1] + apart(row[index - 1], vertex) : 0);
    const [position, weight] = wish(vertex);
    let pool = { sum: (position - offsets[index]) * weight, weight, size: 1 };
    while (pools.length && pools[pools.length - 1].sum / pools[pools.length - 1].weight > pool.sum / pool.weight) {
      const last = pools.pop();
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, size: last.size + pool.size };
    }
    pools.push(pool);
  });
  const means = pools.flatMap((pool) => new Array(pool.size).fill(pool.sum / pool.weight));
  return means.map((mean, index) => mean + offsets[index]);
}

/// Horizontal positions of the vertices: near their neighbours, in order, without overlap; long edges straight where there is room.
function placeRanks(vertices, ranks, chains) {
  const apart = (a, b) => (vertices[a].width + vertices[b].width) / 2 + NODE_GAP;
  const place = (row, wish) => settle(row, wish, apart).forEach((x, index) => (vertices[row[index]].x = x));
  const mean = (list) => list.reduce((sum, vertex) => sum + vertices[vertex].x, 0) / list.length;
  const chainOf = new Map();
  for (const chain of chains) if (chain) for (const vertex of chain.slice(1, -1)) chainOf.set(vertex, chain);
  ranks.forEach((row) => place(row, () => [0, 1]));
  for (let sweep = 0; sweep < 16; sweep++) {
    const side = sweep % 2 ? "down" : "up";
    // A long edge wants to be straight more than a node wants to be near its neighbours.
    const line = new Map(chains.filter(Boolean).map((chain) => [chain, mean(chain)]));
    for (const row of sweep % 2 ? [...ranks].reverse() : ranks) {
      place(row, (vertex) => {
        if (chainOf.has(vertex)) return [line.get(chainOf.get(vertex)), sweep < 4 ? 1 : 6];
        const near = vertices[vertex][side];
        return [near.length ? mean(near) : vertices[vertex].x, 1];
      });
    }
  }
  const index = new Map();
  ranks.forEach((row) => row.forEach((vertex, at) => index.set(vertex, at)));
  for (const chain of chains) {
    if (!chain || chain.length < 4) continue;
    const inner = chain.slice(1, -1);
    let [least, most] = [-Infinity, Infinity];
    for (const vertex of inner) {
      const row = ranks[vertices[vertex].rank], at = index.get(vertex);
      if (at > 0) least = Math.max(least, vertices[row[at - 1]].x + apart(row[at - 1], vertex));
      if (at + 1 < row.length) most = Math.min(most, vertices[row[at + 1]].x - apart(vertex, row[at + 1]));
    }
    const middle = inner.map((vertex) => vertices[vertex].x).sort((a, b) => a - b)[inner.length >> 1];
    if (least <= most) for (const vertex of inner) vertices[vertex].x = Math.min(Math.max(middle, least), most);
  }
}

/// Vertical positions and the paths of the edges. The gap below a rank has a lane for each horizontal piece in it.
function route(nodes, edges, vertices, ranks, chains, vertexOf, rank, nodeWidth, nodeHeight) {
  // Where edges leave and enter nodes: side by side, in the order of where they go.
  const sideX = sidesOf(edges, vertices, ranks, chains, rank);
  const toward = (edge, end) => {
    const chain = chains[edge];
    if (!chain) return sideX[edge];
    return vertices[end === 0 ? chain[1] : chain[chain.length - 2]].x;
  };
  const ports = (end) => {
    const port = new Float64Array(edges.length), at = Array.from({ length: nodes }, () => []);
    edges.forEach((edge, number) => at[edge[end]].push(number));
    at.forEach((list, node) => {
      list.sort((a, b) => toward(a, end) - toward(b, end));
      const step = Math.min(28, (nodeWidth - 40) / Math.max(list.length - 1, 1));
      list.forEach((edge, index) => (port[edge] = vertices[vertexOf[node]].x + (index - (list.length - 1) / 2) * step));
    });
    return port;
  };
  const leaves = ports(0), enters = ports(1);
  straighten(edges, vertices, chains, leaves, enters);
  // The horizontal pieces of each gap; gap 0 is above the first rank.
  const gaps = Array.from({ length: ranks.length + 1 }, () => []);
  const pieces = edges.map(([from, to], edge) => {
    const piece = (gap, a, b) => {
      const entry = { gap, a, b, lane: 0 };
      if (Math.abs(a - b) > SLANT) gaps[gap].push(entry);
      return entry;
    };
    const chain = chains[edge];
    if (!chain) {
      return [piece(rank[from] + 1, leaves[edge], sideX[edge]), piece(rank[to], sideX[edge], enters[edge])];
    }
    const x = (step) => (step === 0 ? leaves[edge] : step === chain.length - 1 ? enters[edge] : vertices[chain[step]].x);
    return chain.slice(1).map((_, step) => piece(rank[from] + 1 + step, x(step), x(step + 1)));
  });
  const heights = gaps.map((gap) => RANK_GAP + Math.max(assignLanes(gap) - 1, 0) * LANE);
  const top = [], gapTop = [];
  let y = 0;
  gaps.forEach((_, gap) => {
    gapTop[gap] = y;
    y += heights[gap];
    top[gap] = y;
    if (gap < ranks.length) y += nodeHeight;
  });
  const paths = pieces.map((list, edge) => {
    let path = `M${leaves[edge].toFixed(1)},${(top[rank[edges[edge][0]]] + nodeHeight).toFixed(1)}`;
    for (const { gap, a, b, lane } of list) {
      if (Math.abs(a - b) > SLANT) path += `V${gapTop[gap] + 11 + lane * LANE}H${b.toFixed(1)}`;
      else if (Math.abs(a - b) > 0.1) path += `V${gapTop[gap] + 3}L${b.toFixed(1)},${top[gap] - 8}`;
    }
    return `${path}V${top[rank[edges[edge][1]]] - 5}`;
  });
  const at = Array.from({ length: nodes }, (_, node) => ({ x: vertices[vertexOf[node]].x - nodeWidth / 2, y: top[rank[node]] }));
  const left = Math.min(...vertices.map((vertex) => vertex.x - vertex.width / 2)) - 12;
  const right = Math.max(...vertices.map((vertex) => vertex.x + vertex.width / 2), ...sideX.filter(Number.isFinite)) + 12;
  return { at, paths, left, width: right - left, height: y };
}

/// Gives each horizontal piece of a gap a lane in which it overlaps no other, and returns the number of lanes. Where a piece
/// comes down at the position at which another one leaves, the other one turns first: their vertical parts must not overlap.
function assignLanes(gap) {
  const CLOSE = 5;
  gap.sort((p, q) => Math.min(p.a, p.b) - Math.min(q.a, q.b));
  const before = gap.map((piece) => gap.filter((other) => other !== piece && Math.abs(other.a - piece.b) < CLOSE));
  const lanes = [], state = new Map();
  const assign = (index) => {
    const piece = gap[index];
    if (state.has(piece)) return;
    state.set(piece, "begun");
    let lane = 0;
    for (const other of before[index]) {
      assign(gap.indexOf(other));
      // Two that wait for each other cannot both be first.
      if (state.get(other) === "done") lane = Math.max(lane, other.lane + 1);
    }
    const [low, high] = [Math.min(piece.a, piece.b) - 6, Math.max(piece.a, piece.b) + 6];
    while ((lanes[lane] || []).some(([from, to]) => from < high && low < to)) lane++;
    while (lanes.length <= lane) lanes.push([]);
    lanes[lane].push([low, high]);
    piece.lane = lane;
    state.set(piece, "done");
  };
  gap.forEach((_, index) => assign(index));
  return lanes.length;
}

/// Removes jogs that are too small to say anything: the end that can move does.
function straighten(edges, vertices, chains, leaves, enters) {
  const SMALL = 14;
  const degree = [new Map(), new Map()];
  for (const edge of edges) for (const end of [0, 1]) degree[end].set(edge[end], (degree[end].get(edge[end]) || 0) + 1);
  chains.forEach((chain, edge) => {
    if (!chain) return;
    if (chain.length > 2) {
      const x = vertices[chain[1]].x;
      const to = [leaves[edge], enters[edge]].find((port) => Math.abs(port - x) < SMALL);
      if (to !== undefined) for (const vertex of chain.slice(1, -1)) if (Math.abs(vertices[vertex].x - x) < 1) vertices[vertex].x = to;
    } else if (Math.abs(leaves[edge] - enters[edge]) < SMALL) {
      if (degree[1].get(edges[edge][1]) === 1) enters[edge] = leaves[edge];
      else if (degree[0].get(edges[edge][0]) === 1) leaves[edge] = enters[edge];
    }
  });
}

/// For each edge that runs at the side, its horizontal position: the shortest ones inside.
function sidesOf(edges, vertices, ranks, chains, rank) {
  const extent = ranks.map((row) => Math.max(...row.map((vertex) => vertices[vertex].x + vertices[vertex].width / 2)));
  const sides = new Array(edges.length).fill(NaN);
  const span = (edge) => {
    const [from, to] = [rank[edges[edge][0]], rank[edges[edge][1]]];
    return [Math.min(from, to), Math.max(from, to)];
  };
  const aside = edges.map((_, edge) => edge).filter((edge) => !chains[edge]);
  aside.sort((a, b) => span(a)[1] - span(a)[0] - (span(b)[1] - span(b)[0]));
  for (const edge of aside) {
    const [first, last] = span(edge);
    let x = -Infinity;
    for (let at = first; at <= last; at++) x = Math.max(x, extent[at]);
    sides[edge] = x + 14;
    for (let at = first; at <= last; at++) extent[at] = x + 14;
  }
  return sides;
}
