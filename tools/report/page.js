"use strict";
const byId = id => document.getElementById(id);
addEventListener("error", event => {
  byId("problem").hidden = false;
  byId("problem").textContent = "This page has failed: " + event.message;
});

const data = JSON.parse(byId("data").textContent);
const kinds = ["call", "kernel", "to-device", "to-host", "on-device", "fill", "wait", "other"];
const kindNames = ["host call", "kernel", "copy host to device", "copy device to host", "copy device to device", "fill", "wait",
  "other command"];
const FAILED = 16, PAGEABLE = 32;

function element(tag, text, name) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
}

// ---- Figures -----------------------------------------------------------------------------------------------

function digits(value) { return value.toFixed(Number.isInteger(value) ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0); }

function scaled(value, units, step) {
  let unit = 0;
  for (; unit + 1 < units.length && value >= step; unit++) value /= step;
  return digits(value) + " " + units[unit];
}

function time(ns) { return scaled(ns, ["ns", "us", "ms", "s"], 1000); }

function rate(count, ns) { return scaled(count / ns * 1000, ["MB/s", "GB/s", "TB/s"], 1000); }

function bytes(count) {
  let unit = 0;
  for (; count >= 1024 && unit < 4; unit++) count /= 1024;
  return count.toFixed(Number.isInteger(count) ? 0 : 1) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][unit];
}

// ---- Lanes: each one or more rows of events that do not overlap -----------------------------------------------

const MOST_ROWS = 6;

function readLane(lane) {
  const count = lane.start.length, rows = [];
  lane.begin = new Float64Array(count);
  lane.row = new Uint8Array(count);
  for (let i = 0, at = 0; i < count; i++) {
    at += lane.start[i];
    lane.begin[i] = at;
    let r = 0;
    while (r < rows.length && rows[r].last > at) r++;
    r = Math.min(r, MOST_ROWS - 1);
    if (r === rows.length) rows.push({last: 0, index: []});
    rows[r].index.push(i);
    rows[r].last = Math.max(rows[r].last, at + lane.duration[i]);
    lane.row[i] = r;
  }
  lane.rows = rows.map(({index}) => {
    const row = {index, start: new Float64Array(index.length), end: new Float64Array(index.length),
      sum: new Float64Array(index.length + 1)};
    index.forEach((i, at) => {
      row.start[at] = lane.begin[i];
      row.end[at] = Math.max(at ? row.end[at - 1] : 0, lane.begin[i] + lane.duration[i]);
      row.sum[at + 1] = row.sum[at] + lane.duration[i];
    });
    return row;
  });
}

// The first place from low on whose value is at least limit.
function lowerBound(values, limit, low = 0) {
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < limit) low = middle + 1; else high = middle;
  }
  return low;
}

data.lanes.forEach(readLane);

// ---- Where things are ----------------------------------------------------------------------------------------

const canvas = byId("canvas"), context = canvas.getContext("2d");
const GUTTER = 178, AXIS = 24, ROW = 18, GAP = 6, HEAD = 20, GRAPH = 40;
const whole = {from: 0, to: Math.max(data.length, 10)};
whole.to += (whole.to - whole.from) * 0.01;
const view = {...whole, scroll: 0};
const items = [];
let width = 0, height = 0, content = 0, colours = {}, selected = null, chosenName = -1, hovered = null;

function layOut() {
  let y = 0, process = null;
  const graphs = name => data.counters.filter(counter => counter.process === name && counter.samples.length)
    .forEach(counter => { items.push({y, counter, height: GRAPH}); y += GRAPH + GAP; });
  for (const lane of data.lanes) {
    if (lane.process !== process) {
      if (process !== null) graphs(process);
      process = lane.process;
      items.push({y, process, height: HEAD});
      y += HEAD;
    }
    lane.y = y;
    lane.height = Math.max(lane.rows.length, 1) * ROW;
    items.push({y, lane, height: lane.height});
    y += lane.height + GAP;
  }
  if (process !== null) graphs(process);
  content = y;
}

const scale = () => (width - GUTTER) / (view.to - view.from);
const toX = t => GUTTER + (t - view.from) * scale();
const toTime = x => view.from + (x - GUTTER) / scale();
const toY = y => AXIS + y - view.scroll;

function clampView() {
  const length = Math.min(Math.max(view.to - view.from, 10), whole.to - whole.from);
  view.from = Math.min(Math.max(view.from, whole.from), whole.to - length);
  view.to = view.from + length;
  view.scroll = Math.max(0, Math.min(view.scroll, content - (height - AXIS)));
}

function setView(from, to) {
  view.from = from;
  view.to = to;
  redraw();
}

function zoom(factor, x) {
  const t = toTime(x === undefined ? (GUTTER + width) / 2 : x);
  setView(t - (t - view.from) * factor, t + (view.to - t) * factor);
}

function move(pixels) {
  const distance = pixels / scale();
  const from = Math.min(Math.max(view.from + distance, whole.from), whole.to - (view.to - view.from));
  setView(from, from + view.to - view.from);
}

function showPlace(lane, from, to) {
  const margin = Math.max((to - from) * 0.3, 5);
  const y = data.lanes[lane].y;
  if (toY(y) < AXIS || toY(y) > height - ROW) view.scroll = y - (height - AXIS) / 2;
  setView(from - margin, to + margin);
}

// ---- Drawing -------------------------------------------------------------------------------------------------

function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of [...kinds, "failed", "text", "dim", "line", "panel", "stripe", "accent"]) {
    colours[name] = style.getPropertyValue("--" + name).trim();
  }
}

function fitted(text, room) {
  if (context.measureText(text).width <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "\u2026").width <= room) low = middle; else high = middle - 1;
  }
  return low ? text.slice(0, low) + "\u2026" : "";
}

function drawBackground() {
  context.fillStyle = colours.stripe;
  for (const item of items) {
    const y = toY(item.y);
    if (item.lane && y < height && y + item.height > AXIS) {
      context.fillRect(GUTTER, Math.max(y, AXIS), width - GUTTER, item.height - 1 - Math.max(0, AXIS - y));
    }
  }
}

function drawAxis() {
  const length = view.to - view.from, rough = length / Math.max(2, (width - GUTTER) / 110);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * [1, 2, 5, 10].find(factor => factor * power >= rough));
  const [unit, name] = view.to < 1e3 ? [1, "ns"] : view.to < 1e6 ? [1e3, "us"] : view.to < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  const places = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));
  context.font = "11px system-ui, sans-serif";
  for (let n = Math.ceil(view.from / step); n * step <= view.to; n++) {
    const x = Math.round(toX(n * step)) + 0.5;
    context.fillStyle = colours.line;
    context.fillRect(x - 0.5, AXIS - 6, 1, height - AXIS + 6);
    context.fillStyle = colours.dim;
    const label = (n * step / unit).toFixed(places) + " " + name;
    if (x + 4 + context.measureText(label).width < width) context.fillText(label, x + 4, 12);
  }
}

function drawEvent(lane, i, x, end, y) {
  const wide = end - x, kind = lane.kind[i];
  context.fillStyle = colours[kind & FAILED ? "failed" : kinds[kind & 15]];
  context.fillRect(x, y, wide > 3 ? wide - 0.5 : wide, ROW - 1);
  if (wide > 26) {
    context.fillStyle = (kind & 15) === 6 || ((kind & 15) === 0 && !(kind & FAILED)) ? colours.text : "#fff";
    context.fillText(fitted(data.names[lane.text[i]], wide - 8), x + 4, y + 12.5);
  }
}

function drawRow(lane, row, y) {
  const perPixel = 1 / scale();
  for (let at = lowerBound(row.end, view.from); at < row.start.length && row.start[at] < view.to;) {
    const i = row.index[at], x = toX(row.start[at]), end = toX(lane.begin[i] + lane.duration[i]);
    const faded = chosenName >= 0 && lane.text[i] !== chosenName;
    if (end - x >= 1) {
      context.globalAlpha = faded ? 0.15 : 1;
      drawEvent(lane, i, Math.max(x, GUTTER - 2), Math.min(end, width + 2), y);
      at++;
      continue;
    }
    // All that begins in this pixel is one mark, as dense as the pixel is full; only the last may reach beyond it.
    let next = lowerBound(row.start, Math.max(toTime(Math.floor(x) + 1), row.start[at] + perPixel * 1e-6), at + 1);
    if (next - 1 > at && lane.duration[row.index[next - 1]] >= perPixel) next--;
    const full = (row.sum[next] - row.sum[at]) / perPixel;
    let shown = at;
    while (chosenName >= 0 && shown < next - 1 && shown < at + 64 && lane.text[row.index[shown]] !== chosenName) shown++;
    const kind = lane.kind[row.index[shown]];
    context.globalAlpha = chosenName >= 0 && lane.text[row.index[shown]] !== chosenName ? 0.12 : Math.min(1, 0.45 + 0.55 * full);
    context.fillStyle = colours[kind & FAILED ? "failed" : kinds[kind & 15]];
    context.fillRect(Math.max(Math.floor(x), GUTTER), y, 1, ROW - 1);
    at = next;
  }
  context.globalAlpha = 1;
}

function drawGraph(counter, y) {
  const most = Math.max(1, ...counter.samples.map(sample => sample[1]));
  context.beginPath();
  context.moveTo(Math.max(GUTTER, toX(counter.samples[0][0])), y + GRAPH);
  let before = 0;
  for (const [t, count] of counter.samples) {
    const x = Math.min(Math.max(toX(t), GUTTER), width);
    context.lineTo(x, y + GRAPH - before);
    before = count / most * (GRAPH - 4);
    context.lineTo(x, y + GRAPH - before);
  }
  const end = Math.min(Math.max(toX(data.length), GUTTER), width);
  context.lineTo(end, y + GRAPH - before);
  context.lineTo(end, y + GRAPH);
  context.fillStyle = colours.other;
  context.globalAlpha = 0.55;
  context.fill();
  context.globalAlpha = 1;
}

function drawItem(item) {
  const y = toY(item.y);
  if (y > height || y + item.height < AXIS) return;
  if (item.lane) {
    context.font = "11.5px system-ui, sans-serif";
    item.lane.rows.forEach((row, r) => drawRow(item.lane, row, y + r * ROW));
  } else if (item.counter) {
    drawGraph(item.counter, y);
  }
}

function drawName(item) {
  const y = toY(item.y);
  if (y > height || y + item.height < AXIS) return;
  if (item.process !== undefined) {
    context.font = "600 12px system-ui, sans-serif";
    context.fillStyle = colours.panel;
    context.fillRect(0, y, width, HEAD);
    context.fillStyle = colours.text;
    context.fillText(fitted(item.process, width - 10), 2, y + 14);
    return;
  }
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = colours.dim;
  context.fillText(fitted(item.lane ? item.lane.name : item.counter.name, GUTTER - 18), 10, y + 13);
  if (item.counter) {
    const most = Math.max(...item.counter.samples.map(sample => sample[1]));
    context.fillText("up to " + bytes(most), 10, y + 29);
  }
}

function linksOf({lane, i}) {
  const from = data.lanes[lane];
  if (!from.host) return from.call[i] < 0 ? [] : [[from.callLane[i], from.call[i], lane, i]];
  const links = [];
  data.lanes.forEach((to, other) => {
    for (let c = 0; !to.host && c < to.begin.length && links.length < 1000; c++) {
      if (to.callLane[c] === lane && to.call[c] === i) links.push([lane, i, other, c]);
    }
  });
  return links;
}

function drawLink([fromLane, call, toLane, command]) {
  const from = data.lanes[fromLane], to = data.lanes[toLane];
  const x = toX(from.begin[call] + from.duration[call] / 2), y = toY(from.y) + (from.row[call] + 1) * ROW;
  const x2 = toX(to.begin[command]), y2 = toY(to.y) + to.row[command] * ROW, middle = (y + y2) / 2;
  context.beginPath();
  context.moveTo(x, y);
  context.bezierCurveTo(x, middle, x2, middle, x2, y2);
  context.stroke();
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 4, y2 - 7);
  context.lineTo(x2 + 4, y2 - 7);
  context.fill();
}

function outline({lane, i}) {
  const of = data.lanes[lane], x = Math.max(toX(of.begin[i]), GUTTER - 3);
  const end = Math.min(toX(of.begin[i] + of.duration[i]), width + 3);
  if (end > GUTTER) context.strokeRect(x - 0.5, toY(of.y) + of.row[i] * ROW - 0.5, Math.max(end - x, 2), ROW);
}

function drawScrollbar() {
  const seen = height - AXIS;
  if (content <= seen) return;
  context.fillStyle = colours.dim;
  context.globalAlpha = 0.5;
  context.fillRect(width - 5, AXIS + view.scroll / content * seen, 4, Math.max(12, seen / content * seen));
  context.globalAlpha = 1;
}

function draw() {
  clampView();
  context.clearRect(0, 0, width, height);
  drawBackground();
  drawAxis();
  context.save();
  context.beginPath();
  context.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
  context.clip();
  items.forEach(drawItem);
  context.restore();
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  items.forEach(drawName);
  context.beginPath();
  context.rect(GUTTER, AXIS, width - GUTTER, height - AXIS);
  context.clip();
  context.strokeStyle = context.fillStyle = colours.accent;
  context.lineWidth = 1.5;
  if (selected) {
    selected.links.forEach(drawLink);
    outline(selected);
  }
  context.strokeStyle = colours.text;
  if (hovered) outline(hovered);
  context.restore();
  drawScrollbar();
}

let pending = false;
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; draw(); });
}

function resize() {
  const ratio = devicePixelRatio || 1;
  width = canvas.clientWidth;
  height = Math.min(AXIS + content, Math.max(260, Math.floor(innerHeight * 0.6)));
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw();
}

// ---- Pointing ------------------------------------------------------------------------------------------------

function describe({lane, i}) {
  const of = data.lanes[lane], kind = of.kind[i], lines = [data.names[of.text[i]]];
  const what = kindNames[kind & 15] === lines[0] ? "" : kindNames[kind & 15] + ", ";
  lines.push(what + of.process + ", " + of.name);
  lines.push("at " + time(of.begin[i]) + ", for " + time(of.duration[i]));
  if (of.host) return lines.concat(kind & FAILED ? "failed" : []);
  const shape = data.shapes[of.shape[i]], count = of.bytes[i];
  if (shape) lines.push("grid " + shape[0].join(" x ") + ", block " + shape[1].join(" x "));
  if (count >= 0) {
    const isKernel = (kind & 15) === 1;
    const speed = of.duration[i] > 0 ? (isKernel ? ", at most " : ", ") + rate(count, of.duration[i]) : "";
    lines.push(bytes(count) + (isKernel ? " of buffers" : "") + speed);
  }
  if (kind & PAGEABLE) lines.push("pageable host memory");
  if (kind & FAILED) lines.push("failed");
  if (of.call[i] >= 0) {
    const host = data.lanes[of.callLane[i]], call = of.call[i];
    lines.push("enqueued by " + data.names[host.text[call]] + ", " + time(Math.max(0, of.begin[i] - host.begin[call]))
      + " before it began");
  }
  return lines;
}

function eventAt(x, y) {
  const inside = y - AXIS + view.scroll;
  if (x < GUTTER || y < AXIS) return null;
  const item = items.find(each => each.lane && inside >= each.y && inside < each.y + each.height);
  const row = item && item.lane.rows[Math.floor((inside - item.y) / ROW)];
  if (!row) return null;
  const t = toTime(x), slack = 2 / scale();
  let at = lowerBound(row.end, t - slack), best = null, distance = Infinity;
  for (const stop = at + 200; at < stop && at < row.start.length && row.start[at] <= t + slack; at++) {
    const far = t < row.start[at] ? row.start[at] - t : t > row.end[at] ? t - row.end[at] : 0;
    if (far < distance) [best, distance] = [at, far];
  }
  return best === null ? null : {lane: data.lanes.indexOf(item.lane), i: row.index[best]};
}

function showTip(event) {
  const tip = byId("tip");
  hovered = eventAt(event.offsetX, event.offsetY);
  tip.hidden = !hovered;
  if (hovered) {
    tip.textContent = describe(hovered).join("\n");
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)) + "px";
  }
  redraw();
}

const usage = byId("detail").textContent;
function select(what) {
  selected = what && {...what, links: linksOf(what)};
  byId("detail").textContent = !what ? usage : describe(what).join(" \u00b7 ")
    + (data.lanes[what.lane].host ? " \u00b7 commands: " + selected.links.length : "");
  redraw();
}

function showSelected() {
  if (!selected) return;
  const lane = data.lanes[selected.lane], link = selected.links[0];
  const ends = [lane.begin[selected.i], lane.begin[selected.i] + lane.duration[selected.i]];
  if (link) ends.push(data.lanes[link[0]].begin[link[1]], data.lanes[link[2]].begin[link[3]]);
  showPlace(selected.lane, Math.min(...ends), Math.max(...ends));
}

let drag = null;
canvas.addEventListener("pointerdown", event => {
  drag = {x: event.offsetX, y: event.offsetY, moved: false};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", event => {
  if (!drag) return showTip(event);
  const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
  if (!drag.moved && Math.hypot(dx, dy) < 4) return;
  Object.assign(drag, {x: event.offsetX, y: event.offsetY, moved: true});
  byId("tip").hidden = true;
  view.scroll -= dy;
  move(-dx);
});
canvas.addEventListener("pointerup", event => {
  if (drag && !drag.moved) select(eventAt(event.offsetX, event.offsetY));
  drag = null;
});
canvas.addEventListener("pointercancel", () => { drag = null; });
canvas.addEventListener("pointerleave", () => { hovered = null; byId("tip").hidden = true; redraw(); });
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  if (event.shiftKey) {
    view.scroll += event.deltaY || event.deltaX;
    redraw();
  } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    move(event.deltaX);
  } else {
    zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.003), Math.max(event.offsetX, GUTTER));
  }
}, {passive: false});

const keys = {
  w: () => zoom(0.7), "+": () => zoom(0.7), "=": () => zoom(0.7), s: () => zoom(1 / 0.7), "-": () => zoom(1 / 0.7),
  a: () => move(-(width - GUTTER) / 6), ArrowLeft: () => move(-(width - GUTTER) / 6),
  d: () => move((width - GUTTER) / 6), ArrowRight: () => move((width - GUTTER) / 6),
  ArrowUp: () => { view.scroll -= 40; redraw(); }, ArrowDown: () => { view.scroll += 40; redraw(); },
  0: () => setView(whole.from, whole.to), f: showSelected, Escape: () => { choose(-1); select(null); },
};
canvas.addEventListener("keydown", event => {
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
});
byId("in").addEventListener("click", () => zoom(0.5));
byId("out").addEventListener("click", () => zoom(2));
byId("fit").addEventListener("click", keys[0]);

// ---- Text ----------------------------------------------------------------------------------------------------

function choose(name) {
  chosenName = name === chosenName ? -1 : name;
  document.querySelectorAll("tr.link").forEach(row => row.classList.toggle("chosen", row.dataset.name === String(chosenName)));
  redraw();
}

function makeRow(table, [texts, , name, lane, from, to]) {
  const row = element("tr");
  texts.forEach((text, c) => row.append(element("td", text, table.columns[c][0] === " " ? "text" : "")));
  if (name >= 0 || lane >= 0) {
    row.className = "link";
    row.title = name >= 0 ? "show these on the timeline" : "show this time";
    row.dataset.name = name >= 0 ? name : "none";
    row.classList.toggle("chosen", name >= 0 && name === chosenName);
    row.addEventListener("click", () => {
      if (name >= 0) return choose(name);
      byId("timeline").scrollIntoView({block: "nearest"});
      showPlace(lane, from, to);
    });
  }
  return row;
}

const FEW = 50;

function makeTable(table) {
  const box = element("div", undefined, "table"), grid = element("table"), head = element("tr"), body = element("tbody");
  const more = element("button", "all " + table.rows.length);
  let limit = FEW, by = -1, down = true;
  const fill = () => {
    const rows = [...table.rows], isText = by >= 0 && table.columns[by][0] === " ";
    const compare = isText ? (a, b) => (a[0][by] > b[0][by]) - (a[0][by] < b[0][by]) : (a, b) => b[1][by] - a[1][by];
    if (by >= 0) rows.sort((a, b) => down ? compare(a, b) : compare(b, a));
    body.replaceChildren(...rows.slice(0, limit).map(row => makeRow(table, row)));
    more.hidden = rows.length <= limit;
  };
  table.columns.forEach((column, c) => {
    const cell = element("th", column.trim(), column[0] === " " ? "text" : "");
    cell.addEventListener("click", () => {
      down = by === c ? !down : true;
      by = c;
      [...head.children].forEach(each => each.classList.toggle("sorted", each === cell));
      fill();
    });
    head.append(cell);
  });
  more.addEventListener("click", () => { limit = Infinity; fill(); });
  const top = element("thead");
  top.append(head);
  grid.append(top, body);
  box.append(element("h2", table.title), grid, more);
  if (table.note) box.append(element("p", table.note));
  fill();
  return box;
}

function showFindings() {
  const list = element("ol");
  for (const [text, saving] of data.findings) {
    const item = element("li", text + " ");
    if (saving) item.append(element("b", "saves at most " + saving));
    list.append(item);
  }
  byId("findings").append(element("h2", "Findings"), data.findings.length ? list : element("p", "none"));
}

function showLegend() {
  const used = new Set(data.lanes.flatMap(lane => [...new Set(lane.kind)].flatMap(kind => kind & FAILED ? [kind & 15, 16] : [kind & 15])));
  [...kindNames, ...Array(8).fill(""), "failed"].forEach((name, kind) => {
    if (!used.has(kind)) return;
    const entry = element("span", name), mark = element("i");
    mark.style.background = "var(--" + (kind === 16 ? "failed" : kinds[kind]) + ")";
    entry.prepend(mark);
    byId("legend").append(entry);
  });
}

function showFacts() {
  for (const [what, value] of data.facts) {
    if (what === "Program") {
      byId("program").textContent = value;
      document.title = "weft trace: " + value;
      continue;
    }
    const pair = element("div");
    pair.append(element("dt", what), element("dd", value));
    byId("facts").append(pair);
  }
  if (data.leftOut) data.warnings.push("The timeline is without the " + data.leftOut + " shortest events; findings and tables have them.");
  data.warnings.forEach(text => byId("warnings").append(element("p", text, "warning")));
}

showFacts();
showLegend();
showFindings();
data.tables.filter(table => table.rows.length).forEach(table => byId("tables").append(makeTable(table)));
layOut();
readColours();
resize();
addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); redraw(); });
