// Theme button and a crosshair. The page is whole without it.
(function () {
  "use strict";
  var root = document.documentElement, button = document.querySelector(".theme");
  function dark() {
    var set = root.getAttribute("data-theme");
    return set ? set === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function keep(theme) {
    root.setAttribute("data-theme", theme);
    try { localStorage.setItem("loadproof-theme", theme); } catch (e) { /* a page from disk may not store */ }
  }
  try {
    var kept = localStorage.getItem("loadproof-theme");
    if (kept === "dark" || kept === "light") { root.setAttribute("data-theme", kept); }
  } catch (e) { /* as above */ }
  if (button) {
    button.hidden = false;
    button.addEventListener("click", function () { keep(dark() ? "light" : "dark"); });
  }
  // Paper is light, and shows everything.
  var before = null;
  window.addEventListener("beforeprint", function () {
    before = root.getAttribute("data-theme");
    root.setAttribute("data-theme", "light");
    document.querySelectorAll("details:not([open])").forEach(function (d) { d.open = true; d.dataset.shut = "1"; });
  });
  window.addEventListener("afterprint", function () {
    if (before) { root.setAttribute("data-theme", before); } else { root.removeAttribute("data-theme"); }
    document.querySelectorAll("details[data-shut]").forEach(function (d) { d.open = false; delete d.dataset.shut; });
  });
  // The numbers of a tooltip are those of the table under the figure.
  var charts = [];
  document.querySelectorAll("figure[data-plot]").forEach(function (figure) {
    var svg = figure.querySelector("svg"), rows = [].slice.call(figure.querySelectorAll("tr[data-x]"));
    if (!svg || !rows.length) { return; }
    rows.sort(function (a, b) { return a.dataset.x - b.dataset.x; });
    var line = document.createElementNS("http://www.w3.org/2000/svg", "line"), box = svg.viewBox.baseVal;
    line.setAttribute("class", "cross");
    line.setAttribute("y1", "42");
    line.setAttribute("y2", String(box.height - 46));
    svg.appendChild(line);
    var tip = document.createElement("div");
    tip.className = "tip";
    tip.setAttribute("aria-hidden", "true");
    figure.querySelector(".plot").appendChild(tip);
    var heads = [].map.call(figure.querySelectorAll("thead th"), function (th) {
      return [].map.call(th.childNodes, function (node) { return node.textContent; }).join(" ");
    });
    var chart = { figure: figure, svg: svg, rows: rows, line: line, tip: tip, heads: heads, width: box.width };
    charts.push(chart);
    svg.addEventListener("pointermove", function (event) {
      var area = svg.getBoundingClientRect();
      show(chart, (event.clientX - area.left) / area.width * chart.width);
    });
    svg.addEventListener("pointerleave", function () { charts.forEach(hide); });
  });
  function nearest(rows, x) {
    var low = 0, high = rows.length - 1;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (rows[middle].dataset.x < x) { low = middle + 1; } else { high = middle; }
    }
    if (low > 0 && x - rows[low - 1].dataset.x < rows[low].dataset.x - x) { low -= 1; }
    return rows[low];
  }
  function place(chart, x) {
    chart.line.setAttribute("x1", x);
    chart.line.setAttribute("x2", x);
    chart.line.style.visibility = "visible";
  }
  function show(chart, x) {
    var row = nearest(chart.rows, x), at = +row.dataset.x;
    if (Math.abs(at - x) > 40) { charts.forEach(hide); return; }
    var group = chart.figure.dataset.group;
    charts.forEach(function (other) {
      if (other === chart || (group && other.figure.dataset.group === group)) { place(other, at); } else { hide(other); }
    });
    chart.tip.textContent = "";
    [].forEach.call(row.cells, function (cell, index) {
      var entry = document.createElement("span"), name = document.createElement("i"), value = document.createElement("b");
      name.textContent = chart.heads[index];
      value.textContent = cell.textContent;
      entry.append(name, value);
      chart.tip.appendChild(entry);
    });
    chart.tip.style.display = "block";
    var left = at / chart.width * chart.svg.clientWidth;
    var flips = left > chart.svg.clientWidth * 0.6;
    chart.tip.style.left = (flips ? left - chart.tip.offsetWidth - 14 : left + 14) + "px";
    chart.tip.style.top = "36px";
  }
  function hide(chart) {
    chart.line.style.visibility = "hidden";
    chart.tip.style.display = "none";
  }
})();
