"use strict";
// The page: takes a snapshot, goes on with events as they come, and draws. Every text gets in as text, never as markup.

const part = (id) => document.getElementById(id);
const token = location.hash.slice(1);
/** Spans by level, finest first; as the server keeps them. */
const levels = [[], [], [], []];
const RANGES = [["All", null], ["10 min", 600], ["1 min", 60]];

let state = null;
/** Events that came before the second that they belong to. */
let coming = [];
let source = null;
let range = null;
/** Second up to which a replay shows the run; null shows all. */
let until = null;
let playing = null;
let charts = [];
let isDirty = true;
let again = null;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function connection(text, className) {
  const pill = part("connection");
  pill.textContent = text;
  pill.className = `pill ${className}`;
}

// Connection -------------------------------------------------------------------------------------------------------

async function open() {
  clearTimeout(again);
  source?.close();
  try {
    const answer = await fetch("/state", { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    begin(await answer.json());
  } catch (error) {
    return later(error);
  }
  const events = new EventSource(`/events?from=${state.next}`);
  source = events;
  // What came of a second before the connection was lost comes again, with that second.
  events.onopen = () => { coming = []; connected(); };
  events.onerror = () => {
    if (state.outcome) { events.close(); connection("the run is over", "on"); return; }
    connection("connection lost, trying again", "lost");
    // A browser tries again by itself unless the server has answered with something else.
    if (events.readyState === EventSource.CLOSED) later();
  };
  const on = (kind, take) => events.addEventListener(kind, (event) => { take(JSON.parse(event.data)); isDirty = true; });
  on("second", (frame) => { keep(0, frame); stepOn(frame); takeEvents(); });
  on("merged", (frame) => keep(levelOf(frame), frame));
  on("about", (about) => { state.about = about; showAbout(); });
  on("legs", (legs) => { state.legs = legs; showLegs(); });
  on("steps", (steps) => { state.steps = steps; });
  on("events", (events) => { coming.push(...events); });
  on("requirements", (requirements) => { state.requirements = requirements; showRequirements(); });
  on("trouble", (text) => { state.trouble = text; showTrouble(); });
  on("over", (outcome) => { state.outcome = outcome; showOutcome(); connected(); });
  events.addEventListener("again", () => open());
}

function connected() {
  if (state.outcome) connection("the run is over", "on");
  else connection("live", "on");
}

function later(error) {
  if (state?.outcome) return;
  connection(state ? "connection lost, trying again" : "not connected, trying again", "lost");
  if (error?.message) part("connection").title = error.message;
  again = setTimeout(open, 2000);
}

function begin(fresh) {
  state = fresh;
  levels.forEach((level, place) => { level.length = 0; level.push(...fresh.levels[place]); });
  delete state.levels;
  showAbout();
  showLegs();
  showEvents();
  showRequirements();
  showTrouble();
  showOutcome();
  isDirty = true;
}

function levelOf(frame) {
  return Math.max([1, 10, 60, 600].indexOf(frame.n), 1);
}

/** A span comes once, also where a message was sent again. */
function keep(level, frame) {
  const kept = levels[level];
  if (kept.length && kept.at(-1).s >= frame.s) return;
  kept.push(frame);
  if (kept.length > state.caps[level]) kept.splice(0, kept.length - state.caps[level]);
}

function takeEvents() {
  if (!coming.length) return;
  state.events.push(...coming);
  state.events.splice(0, state.events.length - 500);
  coming = [];
  showEvents();
}

/** Steps that are in hand last to this second. */
function stepOn(frame) {
  for (const span of state.steps ?? []) if (frame.p.includes(span[0])) span[2] = Math.max(span[2], frame.s);
}

/** All spans in order of time, each stretch as finely as it is kept. */
function allFrames() {
  const all = [];
  let before = Infinity;
  const pieces = [];
  for (const level of levels) {
    const piece = level.filter((frame) => frame.s + frame.n <= before);
    pieces.unshift(piece);
    if (level.length) before = Math.min(before, level[0].s);
  }
  for (const piece of pieces) all.push(...piece);
  return all;
}

// Texts ------------------------------------------------------------------------------------------------------------

function showAbout() {
  const about = state.about ?? {};
  part("study").textContent = about.study || about.id || "waiting for the run";
  document.title = `${about.study || "run"} · loadproof live`;
  part("system").textContent = about.system ? `System: ${about.system}` : "";
  part("dateline").textContent = [about.id, about.started && `began ${about.started}`, about.trial && "trial", about.version && `loadproof ${about.version}`].filter(Boolean).join(" · ");
  buildCharts();
}

function showTrouble() {
  part("trouble").hidden = !state.trouble;
  part("trouble").textContent = state.trouble ? `Nothing more is read of this run: ${state.trouble}` : "";
}

function showLegs() {
  const legs = state.legs ?? { rows: [] };
  const cell = (text) => element("td", text, "n");
  part("legs").replaceChildren(...legs.rows.map((leg) => {
    const row = element("tr");
    row.append(element("td", leg.name), cell(leg.ok.toLocaleString("en")), cell(leg.failed.toLocaleString("en")), ...leg.t.map((time) => cell(figure(time))));
    return row;
  }));
  part("legs-note").textContent = legs.more ? "There are more; the report has them all." : "";
}

function showEvents() {
  part("events").replaceChildren(...[...(state.events ?? [])].reverse().map((event) => {
    const item = element("li");
    item.append(element("time", clock(event.at)), element("b", event.subject ? `${event.kind} · ${event.subject}` : event.kind), element("span", event.text));
    return item;
  }));
  part("events-note").textContent = state.events?.length ? "" : "Nothing has happened beside the load.";
}

const WORDS = { met: "✓ met", not_met: "✗ not met", cannot_tell: "? cannot tell", "": "waiting" };

function showRequirements() {
  const all = state.requirements ?? { rows: [] };
  part("requirements-part").hidden = !all.rows?.length;
  part("requirements-at").textContent = state.outcome ? "as judged" : all.at === null ? "judged after the first seconds of a load" : `as they stand at ${clock(all.at)}`;
  part("requirements").replaceChildren(...(all.rows ?? []).map((of) => {
    const row = element("tr");
    const verdict = element("td");
    verdict.append(element("span", WORDS[of.verdict] ?? of.verdict, `pill ${of.verdict || "none"}`));
    row.append(verdict, element("td", of.id), element("td", of.scope), element("td", of.measured, "n"), element("td", of.limit, "n"), element("td", of.reason));
    return row;
  }));
  part("requirements-note").textContent = all.more ? `${all.more} more are in the report.` : "";
}

function showOutcome() {
  const outcome = state.outcome;
  part("outcome").hidden = !outcome;
  part("ends").hidden = !(state.mayStop && token) || Boolean(outcome);
  part("replay").hidden = !outcome;
  if (!outcome) return;
  part("outcome").className = `outcome ${["valid", "questionable", "invalid"].includes(outcome.validity) ? outcome.validity : ""}`;
  part("validity").textContent = outcome.validity ? `The run is ${outcome.validity}` : "The run is over";
  part("ending").textContent = outcome.ending;
  part("report").textContent = outcome.report ? `Report: ${outcome.report}` : "";
  showRequirements();
}

// Charts -----------------------------------------------------------------------------------------------------------

const perSecond = (count) => (frame) => frame.b[count] / frame.n;
const failedOf = (name) => (frame) => (frame.e.find(([known]) => known === name)?.[1] ?? 0) / frame.n;
const sampleOf = (number) => (frame) => frame.y.find(([known]) => known === number)?.[1] ?? null;
const failures = new Set();

function buildCharts() {
  const limits = state.about?.limits ?? {};
  const line = (name, colour, of) => ({ name, colour, of });
  const wanted = [
    { title: "Iterations", note: "a second", unit: "", lines: [line("offered", "grey", perSecond(0)), line("started", "green", perSecond(1)), line("completed", "blue", perSecond(2)), line("failed", "vermillion", perSecond(3)), line("dropped", "orange", perSecond(4))] },
    { title: "Times of successful calls", note: "ms", unit: "ms", lines: [line("p50", "blue", (frame) => frame.t[0]), line("p95", "orange", (frame) => frame.t[1]), line("p99", "vermillion", (frame) => frame.t[2])] },
    { title: "Failed calls", note: "a second, by how they ended", unit: "", lines: [...failures].map((name, place) => line(name, COLOURS[(place + 1) % COLOURS.length], failedOf(name))) },
    { title: "In flight", note: "iterations, and arrivals that waited", unit: "", lines: [line("in flight", "blue", (frame) => frame.i), line("waiting", "orange", (frame) => frame.q)] },
    ...systemCharts(),
    { title: "Generator: lateness of starts", note: "ms; of a longer span the worst second", unit: "ms", lines: [line("p99", "blue", (frame) => frame.g[2]), line("most", "grey", (frame) => frame.g[3])], limits: [{ name: "p99 questionable above", value: limits.lateness_ms ?? 1 }, { name: "p99 invalid above", value: limits.lateness_invalid_ms ?? 10 }] },
    { title: "Generator: load threads", note: "share of a core", unit: "%", lines: [line("busiest", "blue", (frame) => (frame.i === null ? null : frame.g[0])), line("kept waiting", "vermillion", (frame) => frame.g[1])], limits: [{ name: "full", value: limits.cores_full ?? 0.95 }, { name: "waiting questionable above", value: limits.run_queue ?? 0.05 }] },
  ];
  part("charts").replaceChildren();
  charts = wanted.map((of) => new Chart(part("charts"), of));
  isDirty = true;
}

/** One chart for each unit in which processor or memory is measured. */
function systemCharts() {
  const series = (state.about?.series ?? []).map((of, number) => ({ ...of, number }));
  const groups = new Map();
  for (const of of series) {
    const key = `${of.drawn} ${of.unit}`;
    groups.set(key, [...(groups.get(key) ?? []), of]);
  }
  return [...groups.values()].map((group) => {
    const { drawn, unit } = group[0];
    const note = { share: "share of the machine", cores: "cores", bytes: "" }[unit] ?? unit;
    const lines = group.map((of, place) => ({ name: `${of.instance} (${of.monitor})`, colour: COLOURS[place % COLOURS.length], of: sampleOf(of.number) }));
    return { title: drawn === "processor" ? "Processor" : "Memory", note, unit: unit === "share" ? "%" : unit, lines };
  });
}

function bands() {
  const steps = state.about?.steps ?? [];
  return (state.steps ?? []).map(([step, from, to]) => ({ from, to, name: steps[step]?.id ?? `#${step}` }));
}

function draw() {
  if (!state || !state.about) return;
  const all = allFrames();
  for (const frame of all.slice(-700)) {
    for (const [name] of frame.e) {
      if (!failures.has(name)) { failures.add(name); buildCharts(); }
    }
  }
  const end = all.length ? all.at(-1).s + all.at(-1).n : 1;
  const to = until ?? end;
  const from = range ? Math.max(to - range, all[0]?.s ?? 0) : (all[0]?.s ?? 0);
  const shown = all.filter((frame) => frame.s + frame.n > from && frame.s < to);
  const marks = (state.events ?? []).map((event) => event.at).filter((at) => at <= to);
  const spans = bands().filter((band) => band.from < to).map((band) => ({ ...band, to: Math.min(band.to, to - 1) }));
  // Of a replay the axis is that of the whole run.
  const right = range ? to : end;
  for (const chart of charts) chart.show(shown, from, right, spans, marks);
  showNow(shown.at(-1), spans, to);
  if (state.outcome) {
    const slider = part("until");
    [slider.min, slider.max] = [all[0]?.s ?? 0, end];
    slider.value = to;
    part("until-text").textContent = until === null ? `all, ${clock(end)}` : `${clock(to)} of ${clock(end)}`;
  }
}

function showNow(frame, spans, to) {
  const steps = state.about?.steps ?? [];
  const open = spans.filter((band) => frame && band.to >= frame.s && band.from <= frame.s);
  const number = (state.steps ?? []).find(([, first]) => open.at(-1)?.from === first)?.[0];
  const step = steps[number];
  // Of a run that is over, and not replayed, nothing is in hand: its last second would look like a standstill.
  const isOver = Boolean(state.outcome) && until === null;
  part("tiles").hidden = isOver;
  part("scenario").textContent = step && !isOver ? [step.scenario, step.part].filter(Boolean).join(" · ") : "";
  part("step").textContent = isOver ? "over" : step ? step.id : state.outcome ? "over" : frame ? "between steps" : "waiting for the first second";
  const left = step?.seconds ? open.at(-1).from + step.seconds - to : null;
  part("left").textContent = left !== null && left > 0 && !state.outcome ? `${clock(left)} left` : clock(to);
  const limits = state.about?.limits ?? {};
  const ended = frame ? frame.b[2] + frame.b[3] : 0;
  const late = frame?.g[2] ?? null;
  const tiles = [
    ["offered", figure(frame ? frame.b[0] / frame.n : null), "/s"],
    ["started", figure(frame ? frame.b[1] / frame.n : null), "/s"],
    ["completed", figure(frame ? frame.b[2] / frame.n : null), "/s"],
    ["p50", figure(frame?.t[0]), "ms"],
    ["p99", figure(frame?.t[2]), "ms"],
    ["failed", figure(ended ? frame.b[3] / ended : null, "%"), "", ended && frame.b[3] ? "not_met" : ""],
    ["dropped", figure(frame ? frame.b[4] / frame.n : null), "/s", frame?.b[4] ? "not_met" : ""],
    ["in flight", figure(frame?.i), ""],
    ["generator late, p99", figure(late), "ms", late > limits.lateness_invalid_ms ? "not_met" : late > limits.lateness_ms ? "cannot_tell" : ""],
    ["generator, busiest core", figure(frame && frame.i !== null ? frame.g[0] : null, "%"), "", frame?.g[0] > limits.cores_full ? "not_met" : ""],
  ];
  part("tiles").replaceChildren(...tiles.map(([name, value, unit, className]) => {
    const tile = element("div", undefined, className);
    const text = element("dd", value);
    if (unit) text.append(" ", element("small", unit));
    tile.append(element("dt", name), text);
    return tile;
  }));
}

// Hands ------------------------------------------------------------------------------------------------------------

function choose(seconds) {
  range = seconds;
  for (const button of part("ranges").children) button.setAttribute("aria-pressed", String(button.value === String(seconds)));
  isDirty = true;
}

for (const [name, seconds] of RANGES) {
  const button = element("button", name);
  button.type = "button";
  button.value = String(seconds);
  button.addEventListener("click", () => choose(seconds));
  part("ranges").append(button);
}
choose(null);

async function ask(what, question) {
  if (!window.confirm(question)) return;
  const answer = await fetch(`/${what}`, { method: "POST", headers: { "x-loadproof-token": token } }).catch((error) => ({ ok: false, text: async () => String(error) }));
  if (answer.ok) {
    part("drain").disabled = true;
    part("stop").disabled = what === "stop";
  } else {
    window.alert(await answer.text());
  }
}
part("drain").addEventListener("click", () => ask("drain", "Drain the run? Nothing new is started; what is open may end. The run is then judged and reported."));
part("stop").addEventListener("click", () => ask("stop", "Stop the run at once? What is open is cut off. The run is then judged and reported."));

function pause() {
  clearInterval(playing);
  playing = null;
  part("play").textContent = "▶ Replay";
}

part("play").addEventListener("click", () => {
  if (playing) return pause();
  const [first, last] = [Number(part("until").min), Number(part("until").max)];
  if (until === null || until >= last) until = first;
  part("play").textContent = "❚❚ Pause";
  playing = setInterval(() => {
    until += Number(part("speed").value) / 10;
    if (until >= last) { until = null; pause(); }
    draw();
  }, 100);
});
part("until").addEventListener("input", (event) => {
  pause();
  until = Number(event.target.value) >= Number(event.target.max) ? null : Number(event.target.value);
  isDirty = true;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { isDirty = true; });
document.addEventListener("visibilitychange", () => { isDirty = true; });

// Drawn at most twice a second, and not where nobody looks.
setInterval(() => {
  if (!isDirty || document.hidden) return;
  isDirty = false;
  draw();
}, 500);
open();
