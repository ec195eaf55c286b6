// Theme, contents that follow, crosshair with values, switches of series, zoom over time. The page is whole without it.
(function () {
  "use strict";
  var doc = document, root = doc.documentElement, SVG = "http://www.w3.org/2000/svg";
  function all(query, at) { return [].slice.call((at || doc).querySelectorAll(query)); }
  function numbers(text) { return text ? text.split(",").map(Number) : null; }
  function make(name, attributes, parent) {
    var node = doc.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    return parent.appendChild(node);
  }

  // Theme: as the system has it, until the reader chooses.
  var button = doc.querySelector(".theme");
  function isDark() {
    var set = root.getAttribute("data-theme");
    return set ? set === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  try {
    var kept = localStorage.getItem("loadproof-theme");
    if (kept === "dark" || kept === "light") { root.setAttribute("data-theme", kept); }
  } catch (e) { /* a page from disk may not store */ }
  if (button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var theme = isDark() ? "light" : "dark";
      root.setAttribute("data-theme", theme);
      try { localStorage.setItem("loadproof-theme", theme); } catch (e) { /* as above */ }
    });
  }
  all(".hint").forEach(function (hint) { hint.hidden = false; });

  // Paper is light.
  var before = null;
  window.addEventListener("beforeprint", function () {
    before = root.getAttribute("data-theme");
    root.setAttribute("data-theme", "light");
  });
  window.addEventListener("afterprint", function () {
    if (before) { root.setAttribute("data-theme", before); } else { root.removeAttribute("data-theme"); }
  });

  // The contents mark the chapter and part that stand at the top of the window.
  var links = {}, sections = all("main section[id]"), marked = [], waits = false;
  all("nav.toc a").forEach(function (link) { links[link.hash.slice(1)] = link; });
  function follow() {
    waits = false;
    var now = sections[0];
    sections.forEach(function (section) { if (section.getBoundingClientRect().top < 130) { now = section; } });
    marked.forEach(function (item) { item.classList.remove("on"); item.firstChild.removeAttribute("aria-current"); });
    marked = [];
    for (var at = now; at; at = at.parentElement.closest("section[id]")) {
      var item = links[at.id] && links[at.id].parentElement;
      if (item) { item.classList.add("on"); marked.push(item); }
    }
    if (marked[0]) { marked[0].firstChild.setAttribute("aria-current", "location"); }
  }
  window.addEventListener("scroll", function () {
    if (!waits) { waits = true; requestAnimationFrame(follow); }
  }, { passive: true });
  if (sections.length) { follow(); }

  // The numbers of a tooltip are those of the table under the figure.
  var charts = [];
  all("figure[data-plot]").forEach(function (figure) {
    var svg = figure.querySelector("svg.chart"), rows = all("tr[data-x]", figure), plot = figure.querySelector(".plot");
    if (!svg || !rows.length) { return; }
    rows.sort(function (a, b) { return a.dataset.x - b.dataset.x; });
    var box = svg.viewBox.baseVal, time = numbers(svg.dataset.t), lefts = numbers(svg.dataset.c) || [time ? time[0] : 0];
    var tip = doc.createElement("div");
    tip.className = "tip";
    tip.setAttribute("role", "status");
    figure.appendChild(tip);
    var whole = doc.createElement("button");
    whole.type = "button";
    whole.className = "whole";
    whole.hidden = true;
    whole.textContent = doc.getElementById("main").dataset.whole;
    whole.addEventListener("click", function () { zoom(chart); });
    plot.parentNode.insertBefore(whole, plot);
    var chart = {
      figure: figure, svg: svg, rows: rows, tip: tip, whole: whole, plot: plot, width: box.width, time: time, lefts: lefts,
      zoom: time && [time[2], time[3]], at: -1,
      lines: lefts.map(function () { return make("line", { "class": "cross", y1: 40, y2: box.height - 44 }, svg); }),
      heads: all("thead th", figure).map(function (th) {
        return [].map.call(th.childNodes, function (node) { return node.textContent; }).join(" ");
      })
    };
    charts.push(chart);
    switches(chart);
    pointer(chart);
    keys(chart);
  });

  // A place in the drawing as it was written, and as it is shown when zoomed.
  function shown(chart, x) {
    if (!chart.time) { return x; }
    var t = chart.time, second = t[2] + (x - t[0]) / t[1] * (t[3] - t[2]);
    return t[0] + (second - chart.zoom[0]) / (chart.zoom[1] - chart.zoom[0]) * t[1];
  }
  function secondAt(chart, x) {
    var t = chart.time, column = 0;
    chart.lefts.forEach(function (left, index) { if (x >= left - 12) { column = index; } });
    return chart.zoom[0] + (x - chart.lefts[column]) / t[1] * (chart.zoom[1] - chart.zoom[0]);
  }
  function written(chart, second) {
    var t = chart.time;
    return t[0] + (second - t[2]) / (t[3] - t[2]) * t[1];
  }
  function nearest(rows, x) {
    var low = 0, high = rows.length - 1;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (rows[middle].dataset.x < x) { low = middle + 1; } else { high = middle; }
    }
    return low > 0 && x - rows[low - 1].dataset.x < rows[low].dataset.x - x ? low - 1 : low;
  }
  function family(chart) {
    var group = chart.figure.dataset.group;
    return charts.filter(function (other) { return other === chart || (group && other.figure.dataset.group === group); });
  }
  function cross(chart, x) {
    var at = shown(chart, x), t = chart.time;
    var isIn = !t || (at > t[0] - 1 && at < t[0] + t[1] + 1);
    chart.lines.forEach(function (line, index) {
      var place = at + chart.lefts[index] - chart.lefts[0];
      line.setAttribute("x1", place);
      line.setAttribute("x2", place);
      line.style.visibility = isIn ? "visible" : "hidden";
    });
    return at;
  }
  function hide(chart) {
    chart.lines.forEach(function (line) { line.style.visibility = "hidden"; });
    chart.tip.style.display = "none";
  }
  function show(chart, index) {
    var row = chart.rows[index], x = +row.dataset.x, kin = family(chart);
    chart.at = index;
    charts.forEach(hide);
    kin.forEach(function (other) {
      cross(other, chart.time && other.time ? written(other, second(chart, x)) : x);
    });
    chart.tip.textContent = "";
    [].slice.call(row.cells, 0, 16).forEach(function (cell, index) {
      var entry = doc.createElement("span"), name = doc.createElement("i"), value = doc.createElement("b");
      name.textContent = chart.heads[index];
      value.textContent = cell.textContent;
      entry.append(name, value);
      chart.tip.appendChild(entry);
    });
    chart.tip.style.display = "block";
    var left = shown(chart, x) / chart.width * chart.svg.clientWidth, flips = left > chart.svg.clientWidth * 0.6;
    left -= chart.plot.scrollLeft;
    chart.tip.style.left = Math.max(0, flips ? left - chart.tip.offsetWidth - 14 : left + 14) + "px";
    // Below the drawing: beside the crosshair it would hide the peaks that it is about.
    chart.tip.style.top = chart.plot.offsetTop + chart.plot.offsetHeight + 2 + "px";
  }
  function second(chart, x) {
    var t = chart.time;
    return t[2] + (x - t[0]) / t[1] * (t[3] - t[2]);
  }

  function pointer(chart) {
    var svg = chart.svg, from = null, brush = null;
    function place(event) {
      var area = svg.getBoundingClientRect();
      return (event.clientX - area.left) / area.width * chart.width;
    }
    svg.addEventListener("pointermove", function (event) {
      var x = place(event);
      if (from !== null) {
        if (!brush) { brush = make("rect", { "class": "brush", y: 40, height: svg.viewBox.baseVal.height - 84 }, svg); }
        brush.setAttribute("x", Math.min(from, x));
        brush.setAttribute("width", Math.abs(x - from));
        return;
      }
      var at = chart.time ? written(chart, secondAt(chart, x)) : x, index = nearest(chart.rows, at);
      if (Math.abs(chart.rows[index].dataset.x - at) > 40) { charts.forEach(hide); } else { show(chart, index); }
    });
    svg.addEventListener("pointerleave", function () { if (from === null) { charts.forEach(hide); } });
    if (!chart.time) { return; }
    svg.addEventListener("pointerdown", function (event) {
      // A finger scrolls the page; zooming is for what points finely.
      if (event.pointerType === "touch" || event.button || event.target.closest(".key")) { return; }
      from = place(event);
      try { svg.setPointerCapture(event.pointerId); } catch (e) { /* the pointer is gone already */ }
      event.preventDefault();
      chart.plot.focus({ preventScroll: true });
    });
    svg.addEventListener("pointerup", function (event) {
      if (from === null) { return; }
      var to = place(event), ends = [secondAt(chart, Math.min(from, to)), secondAt(chart, Math.max(from, to))];
      if (Math.abs(to - from) > 8) { zoom(chart, ends[0], ends[1]); }
      stop();
    });
    svg.addEventListener("pointercancel", stop);
    svg.addEventListener("dblclick", function () { zoom(chart); });
    function stop() {
      from = null;
      if (brush) { brush.remove(); brush = null; }
    }
  }

  function keys(chart) {
    chart.plot.addEventListener("keydown", function (event) {
      if (event.target !== chart.plot || event.ctrlKey || event.metaKey || event.altKey) { return; }
      var last = chart.rows.length - 1, at = chart.at < 0 ? Math.floor(last / 2) : chart.at;
      var step = event.shiftKey ? 10 : 1;
      var to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: last }[event.key];
      if (to !== undefined) {
        show(chart, Math.max(0, Math.min(last, to)));
      } else if (event.key === "Escape" || event.key === "0") {
        zoom(chart);
        charts.forEach(hide);
      } else if (chart.time && (event.key === "+" || event.key === "-")) {
        var middle = second(chart, +chart.rows[at].dataset.x), half = chart.zoom[1] - chart.zoom[0];
        half *= event.key === "+" ? 0.25 : 1;
        zoom(chart, middle - half, middle + half);
      } else { return; }
      event.preventDefault();
    });
    chart.plot.addEventListener("blur", function () { charts.forEach(hide); });
  }

  // Zoom: the view of the inner drawing becomes narrower, and the labels of the axis are written anew.
  var STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];
  function clock(s) {
    function two(n) { return (n < 10 ? "0" : "") + n; }
    var h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
    return h ? h + ":" + two(m) + ":" + two(s % 60) : m + ":" + two(s % 60);
  }
  function zoom(chart, low, high) {
    family(chart).filter(function (other) { return other.time; }).forEach(function (other) { apply(other, low, high); });
  }
  function apply(chart, low, high) {
    var t = chart.time, a = low === undefined ? t[2] : Math.max(t[2], low), b = high === undefined ? t[3] : Math.min(t[3], high);
    if (b - a < 2) { b = Math.min(t[3], a + 2); }
    var isWhole = a <= t[2] && b >= t[3], part = (b - a) / (t[3] - t[2]);
    chart.zoom = isWhole ? [t[2], t[3]] : [a, b];
    chart.svg.classList.toggle("zoomed", !isWhole);
    chart.whole.hidden = isWhole;
    all("svg.data", chart.svg).forEach(function (data) {
      if (!data.dataset.v) { data.dataset.v = data.getAttribute("viewBox"); }
      var v = data.dataset.v.split(" ").map(Number), pad = 3, width = v[2] - 2 * pad;
      var left = v[0] + pad + (chart.zoom[0] - t[2]) / (t[3] - t[2]) * width;
      var view = isWhole ? v : [left - pad * part, v[1], v[2] * part, v[3]];
      data.setAttribute("viewBox", view.join(" "));
    });
    all(".zt", chart.svg).forEach(function (old) { old.remove(); });
    if (!isWhole) { all(".xt", chart.svg).forEach(function (ticks) { label(chart, ticks); }); }
  }
  function label(chart, ticks) {
    var like = ticks.querySelector("text"), left = +ticks.dataset.l, width = +ticks.dataset.w;
    if (!like) { return; }
    var span = chart.zoom[1] - chart.zoom[0], want = Math.max(2, Math.floor(width / 90));
    var step = STEPS.filter(function (s) { return s >= span / want; })[0] || 86400;
    var group = make("g", { "class": "zt" }, chart.svg);
    if (like.parentNode !== ticks) { group = group.appendChild(like.parentNode.cloneNode(false)); }
    for (var s = Math.ceil(chart.zoom[0] / step) * step; s <= chart.zoom[1]; s += step) {
      var text = like.cloneNode(false);
      text.setAttribute("x", left + (s - chart.zoom[0]) / span * width);
      text.textContent = clock(s);
      group.appendChild(text);
    }
  }

  // A series' name at the edge shows and hides all that has its colour.
  function switches(chart) {
    var entries = all("g.key", chart.svg);
    if (entries.length < 2) { return; }
    chart.svg.setAttribute("role", "group");
    entries.forEach(function (entry) {
      var hue = entry.dataset.k;
      entry.setAttribute("role", "button");
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("aria-pressed", "true");
      function toggle() {
        var isOn = entry.getAttribute("aria-pressed") !== "true";
        entry.setAttribute("aria-pressed", String(isOn));
        all(".k-" + hue + ",.data .f-" + hue, chart.svg).forEach(function (node) {
          if (!node.closest(".key")) { node.style.display = isOn ? "" : "none"; }
        });
      }
      entry.addEventListener("click", toggle);
      entry.addEventListener("keydown", function (event) {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
      });
    });
  }
})();
