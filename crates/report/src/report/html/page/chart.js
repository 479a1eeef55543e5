// Charts: coverage curves over tests and over the search, and the timeline of a test.

/// Round numbers from 0 to `most`, about `steps` of them.
function ticks(most, steps) {
  const rough = most / steps, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) || 1;
  const result = [];
  for (let value = 0; value <= most; value += step) result.push(value);
  return result;
}

/// The width of a picture on the page, so that its text has the size of the page's.
const pictureWidth = () => Math.min(Math.max(document.getElementById("main").clientWidth - 48, 320), 1192);

/// The coverage curve over the tests of the suite, from the number of directions that each is the first to cover.
function coverageOverTests(news, all) {
  let sum = 0;
  return coverageCurve(news.map((value, test) => [test + 1, (sum += value)]), news.length, all, "test");
}

/// Directions covered so far (y) by the number of tests or paths (x), as steps: points of both, and the last number.
function coverageCurve(points, end, all, unit) {
  const [width, height, left, right, top, bottom] = [pictureWidth(), 240, 62, 26, 14, 40];
  const total = points.length === 0 ? 0 : points[points.length - 1][1];
  const most = Math.max(all, 1);
  const x = (at) => left + (at / Math.max(end, 1)) * (width - left - right);
  const y = (value) => height - bottom - (value / most) * (height - top - bottom);
  let path = `M${x(0)},${y(0)}`, drawn = x(0);
  points.forEach(([at, covered], index) => {
    // No more points than there are pixels.
    if (x(at) - drawn < 0.5 && index + 1 < points.length) return;
    drawn = x(at);
    path += `H${drawn.toFixed(1)}V${y(covered).toFixed(1)}`;
  });
  path += `H${x(end).toFixed(1)}`;
  const grid = ticks(most, 4).map((value) => [
    s("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    s("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, number(value)),
  ]);
  const labels = ticks(end, width / 130).map((value) =>
    s("text", { x: x(value), y: height - bottom + 18, "text-anchor": "middle" }, number(value)));
  const label = h("output", { class: "reading" }, `After ${count(end, unit)}: ${count(total, "direction")} covered.`);
  const cursor = s("line", { class: "cursor", y1: top, y2: height - bottom, x1: -9, x2: -9 });
  const move = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    const value = Math.min(Math.max(Math.round(((at - left) / (width - left - right)) * end), 0), end);
    cursor.setAttribute("x1", x(value));
    cursor.setAttribute("x2", x(value));
    const last = points.findLast(([place]) => place <= value);
    label.textContent = `After ${count(value, unit)}: ${count(last ? last[1] : 0, "direction")} covered.`;
  };
  const picture = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart", mousemove: move,
    "aria-label": `Coverage over ${unit}s: ${number(total)} of ${number(all)} directions covered after ${count(end, unit)}` },
    grid, labels,
    s("line", { class: "ceiling", x1: left, x2: width - right, y1: y(all), y2: y(all) }),
    s("path", { class: "area", d: `${path}V${y(0)}H${x(0)}Z` }),
    s("path", { class: "curve", d: path }), cursor,
    s("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, `${unit}s`),
  );
  return h("figure", null, picture, h("figcaption", null, label,
    h("span", null, " The dashed line is the number of directions that are not infeasible.")));
}

/// Reads of inputs and interrupts of a test by the number of executed instructions, a lane for each input.
function timeline(run) {
  const lanes = new Map();
  const lane = (name) => {
    if (!lanes.has(name)) lanes.set(name, []);
    return lanes.get(name);
  };
  for (const [after, place, name, value] of run.reads) {
    lane(text(name)).push({ after, title: `${text(name)} = ${hex(value)} after ${count(after, "instruction")}, read at ${address(place)} ${functionOffset(place)}` });
  }
  for (const [after, place, which] of run.interrupts) {
    lane("interrupts").push({ after, interrupt: true, title: `interrupt ${which} after ${count(after, "instruction")}, before ${address(place)} ${functionOffset(place)}` });
  }
  if (lanes.size === 0) return null;
  const names = [...lanes.keys()].slice(0, 24);
  const [width, left, right, top, row] = [pictureWidth(), 130, 26, 8, 26];
  const height = top + names.length * row + 40;
  const most = Math.max(Number(run.instructions), 1);
  const x = (after) => left + (after / most) * (width - left - right);
  const rows = names.map((name, index) => {
    const middle = top + index * row + row / 2;
    let last = -9;
    const marks = lanes.get(name).filter((mark) => {
      // Marks that would be drawn on top of each other are one mark.
      const apart = x(mark.after) - last >= 0.7;
      if (apart) last = x(mark.after);
      return apart;
    }).map((mark) => {
      const at = x(mark.after).toFixed(1);
      const shape = mark.interrupt
        ? s("path", { class: "interrupt", d: `M${at},${middle - 7}l6,12h-12z` })
        : s("line", { class: "read", x1: at, x2: at, y1: middle - 8, y2: middle + 8 });
      shape.append(s("title", null, mark.title));
      return shape;
    });
    const shownName = name.length > 20 ? name.slice(0, 19) + "…" : name;
    return s("g", null, s("line", { class: "grid", x1: left, x2: width - right, y1: middle, y2: middle }),
      s("text", { x: left - 10, y: middle + 4, "text-anchor": "end" }, shownName), marks);
  });
  const axis = ticks(most, width / 150).map((value) =>
    s("text", { x: x(value), y: height - 22, "text-anchor": "middle" }, number(value)));
  return h("figure", null,
    s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": "Reads of inputs and interrupts by executed instructions; the table below has the same" },
      rows, axis, s("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "instructions executed")),
    lanes.size > names.length && h("figcaption", null, `The first ${names.length} of ${number(lanes.size)} inputs are drawn.`));
}
