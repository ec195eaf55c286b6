"use strict";
// A chart of lines over time on a canvas: axes from zero, steps as bands, events as marks, a reading under the pointer.
// Nothing is smoothed; where there is no figure there is a gap.

const COLOURS = ["blue", "vermillion", "green", "purple", "orange", "sky", "grey"];

/** Rounded up to one, two or five times a power of ten. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999);
}

/** Seconds as a clock: 0:42, 12:05, 3:00:00. */
function clock(seconds) {
  const sign = seconds < 0 ? "−" : "";
  const whole = Math.floor(Math.abs(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return sign + (hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`);
}

/** A figure with three digits that count and its unit's prefix. */
function figure(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (unit === "bytes") {
    const names = ["B", "kB", "MB", "GB", "TB"];
    let place = 0;
    while (Math.abs(value) >= 1000 && place < names.length - 1) { value /= 1000; place += 1; }
    return `${digits(value)} ${names[place]}`;
  }
  if (unit === "%") return value > 0 && value < 1e-5 ? "< 0.001 %" : `${digits(value * 100)} %`;
  return digits(value);
}

function digits(value) {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(1);
  const places = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: places });
}

class Chart {
  /** `unit` is "", "%", "ms" or "bytes"; `lines` are {name, colour, of(frame)}; `limits` are {name, value}. */
  constructor(parent, { title, note, unit, lines, limits = [] }) {
    Object.assign(this, { unit, lines, limits, frames: [], from: 0, to: 1, bands: [], marks: [], at: null });
    this.figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.append(title, " ", Object.assign(document.createElement("small"), { textContent: note }));
    this.keys = Object.assign(document.createElement("ul"), { className: "keys" });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${title}, ${note}`);
    this.figure.append(caption, this.keys, this.canvas);
    parent.append(this.figure);
    const point = (event) => { this.at = event.offsetX; this.draw(); };
    this.canvas.addEventListener("pointermove", point);
    this.canvas.addEventListener("pointerdown", point);
    this.canvas.addEventListener("pointerleave", () => { this.at = null; this.draw(); });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  show(frames, from, to, bands, marks) {
    Object.assign(this, { frames, from, to: Math.max(to, from + 1), bands, marks });
    this.draw();
  }

  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  /** Greatest figure that is drawn, so that the axis holds it; a limit only where it is near. */
  most() {
    let most = 0;
    for (const frame of this.frames) {
      for (const line of this.lines) {
        const value = line.of(frame);
        if (value !== null && value > most) most = value;
      }
    }
    for (const limit of this.limits) if (limit.value < most * 3 || most === 0) most = Math.max(most, limit.value * 1.03);
    return most || 1;
  }

  draw() {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px system-ui, sans-serif";
    const step = niceStep(this.most() / 4);
    const top = Math.ceil(this.most() / step - 1e-9) * step;
    const labels = [];
    for (let value = 0; value <= top + step / 2; value += step) labels.push([value, figure(value, this.unit)]);
    const left = Math.ceil(Math.max(...labels.map(([, text]) => pen.measureText(text).width))) + 8;
    const plot = { left, top: 14, width: Math.max(width - left - 6, 10), height: height - 34 };
    const x = (second) => plot.left + ((second - this.from) / (this.to - this.from)) * plot.width;
    const y = (value) => plot.top + plot.height - (value / top) * plot.height;
    this.drawBands(pen, plot, x);
    pen.fillStyle = this.colour("ink-3");
    pen.strokeStyle = this.colour("grid");
    pen.lineWidth = 1;
    for (const [value, text] of labels) {
      pen.beginPath();
      pen.moveTo(plot.left, Math.round(y(value)) + 0.5);
      pen.lineTo(plot.left + plot.width, Math.round(y(value)) + 0.5);
      pen.stroke();
      pen.fillText(text, plot.left - 6 - pen.measureText(text).width, y(value) + 4);
    }
    this.drawTimes(pen, plot, x);
    pen.save();
    pen.beginPath();
    pen.rect(plot.left, plot.top - 2, plot.width, plot.height + 4);
    pen.clip();
    this.drawMarks(pen, plot, x);
    for (const line of this.lines) this.drawLine(pen, line, x, y);
    const named = [];
    for (const limit of this.limits.filter((limit) => limit.value <= top)) {
      const place = y(limit.value);
      // Of limits that lie on each other only one has its name.
      const isFree = named.every((other) => Math.abs(other - place) >= 16);
      if (isFree) named.push(place);
      this.drawLimit(pen, plot, place, isFree ? limit.name : "");
    }
    pen.restore();
    this.read(pen, plot, x, y);
  }

  drawBands(pen, plot, x) {
    this.bands.forEach((band, place) => {
      const [from, to] = [Math.max(x(band.from), plot.left), Math.min(x(band.to + 1), plot.left + plot.width)];
      if (to <= from) return;
      if (place % 2 === 0) {
        pen.fillStyle = this.colour("band");
        pen.fillRect(from, plot.top, to - from, plot.height);
      }
      pen.fillStyle = this.colour("ink-3");
      if (to - from > pen.measureText(band.name).width + 6) pen.fillText(band.name, from + 3, plot.top - 4);
    });
  }

  drawTimes(pen, plot, x) {
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400];
    const least = (this.to - this.from) / Math.max(plot.width / 70, 1);
    const step = steps.find((known) => known >= least) ?? niceStep(least);
    for (let second = Math.ceil(this.from / step) * step; second <= this.to; second += step) {
      const text = clock(second);
      const place = Math.min(Math.max(x(second) - pen.measureText(text).width / 2, plot.left), plot.left + plot.width - pen.measureText(text).width);
      pen.fillText(text, place, plot.top + plot.height + 15);
    }
  }

  drawMarks(pen, plot, x) {
    pen.strokeStyle = this.colour("purple");
    pen.setLineDash([2, 3]);
    for (const second of this.marks) {
      pen.beginPath();
      pen.moveTo(x(second), plot.top);
      pen.lineTo(x(second), plot.top + plot.height);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  drawLimit(pen, plot, place, name) {
    pen.strokeStyle = pen.fillStyle = this.colour("limit");
    pen.setLineDash([6, 4]);
    pen.beginPath();
    pen.moveTo(plot.left, place);
    pen.lineTo(plot.left + plot.width, place);
    pen.stroke();
    pen.setLineDash([]);
    if (!name) return;
    const width = pen.measureText(name).width;
    pen.fillStyle = this.colour("ground");
    pen.fillRect(plot.left + plot.width - width - 6, place - 15, width + 6, 14);
    pen.fillStyle = this.colour("limit");
    pen.fillText(name, plot.left + plot.width - width - 3, place - 4);
  }

  drawLine(pen, line, x, y) {
    pen.strokeStyle = this.colour(line.colour);
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    let end = null;
    for (const frame of this.frames) {
      const value = line.of(frame);
      if (value === null || value === undefined) { end = null; continue; }
      const [from, to] = [frame.s, frame.s + frame.n];
      const middle = (from + to) / 2;
      // A span that does not follow the one before leaves a gap.
      if (end === null || from > end + 5) {
        pen.moveTo(x(middle) - 1, y(value));
      }
      pen.lineTo(x(middle), y(value));
      end = to;
    }
    pen.stroke();
    pen.lineWidth = 1;
  }

  /** The figures under the pointer, or the newest. */
  read(pen, plot, x, y) {
    let frame = this.frames.at(-1);
    if (this.at !== null && this.frames.length) {
      const second = this.from + ((this.at - plot.left) / plot.width) * (this.to - this.from);
      frame = this.frames.reduce((near, other) =>
        Math.abs(other.s + other.n / 2 - second) < Math.abs(near.s + near.n / 2 - second) ? other : near);
      const place = x(frame.s + frame.n / 2);
      pen.strokeStyle = this.colour("ink-3");
      pen.beginPath();
      pen.moveTo(place, plot.top);
      pen.lineTo(place, plot.top + plot.height);
      pen.stroke();
    }
    const items = this.lines.map((line) => {
      const value = frame ? line.of(frame) : null;
      const item = document.createElement("li");
      const swatch = document.createElement("i");
      swatch.style.background = `var(--${line.colour})`;
      const name = Object.assign(document.createElement("span"), { textContent: line.name, title: line.name });
      const text = Object.assign(document.createElement("b"), { textContent: figure(value, this.unit) });
      item.append(swatch, name, text);
      return item;
    });
    if (this.at !== null && frame) {
      items.push(Object.assign(document.createElement("li"), { textContent: `at ${clock(frame.s)}` }));
    }
    this.keys.replaceChildren(...items);
  }
}
