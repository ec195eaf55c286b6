// What the page shows, as a reader sees it: texts of its elements and pixels of its charts. Evaluated in the page, adds
// nothing to it but where it says so.
({
  /** Every tile with its figure, every chart with its lines, and how much of them is drawn. */
  shown() {
    const text = (id) => document.getElementById(id).textContent;
    const figures = (items, name, value) => Object.fromEntries(items.filter((item) => item.querySelector(name)).map((item) => [item.querySelector(name).textContent, item.querySelector(value).firstChild.textContent]));
    return {
      connection: text("connection"),
      study: text("study"),
      step: text("step"),
      mayEnd: !document.getElementById("ends").hidden,
      tiles: figures([...document.querySelectorAll("#tiles div")], "dt", "dd"),
      charts: charts.map((chart) => ({
        title: chart.figure.querySelector("figcaption").firstChild.textContent,
        lines: figures([...chart.keys.children], "span", "b"),
        inked: this.inked(chart),
      })),
      drawn: charts[0].frames.at(-1),
      rows: document.querySelectorAll("#legs tr").length,
      verdicts: [...document.querySelectorAll("#requirements .pill")].map((pill) => pill.textContent),
      ending: text("ending"),
      report: text("report"),
    };
  },

  /** Pixels of a chart that have the colour of one of its lines. */
  inked(chart) {
    const { canvas } = chart;
    if (!canvas.width || !canvas.height) return 0;
    const colours = chart.lines.map((line) => chart.colour(line.colour)).map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      const isNear = (colour) => colour.every((part, place) => Math.abs(part - pixels[at + place]) < 24);
      if (pixels[at + 3] > 200 && colours.some(isNear)) count += 1;
    }
    return count;
  },

  /** Whether everything fits beside each other, and charts are as sharp as the screen. */
  fit() {
    const ratio = Math.min(window.devicePixelRatio || 1, 3);
    const right = document.scrollingElement.clientWidth;
    const isWithin = (element) => element.closest(".scroll") || element.getBoundingClientRect().right <= right + 1;
    return {
      inner: window.innerWidth,
      scroll: document.scrollingElement.scrollWidth,
      height: document.scrollingElement.scrollHeight,
      beyond: [...document.body.querySelectorAll("*")].filter((element) => !isWithin(element)).map((element) => element.id || element.className || element.tagName),
      blurred: charts.filter(({ canvas }) => canvas.width !== Math.round(canvas.clientWidth * ratio)).length,
      background: getComputedStyle(document.body).backgroundColor,
    };
  },

  /** Elements, attributes and signs that the page has not made itself. */
  strangers() {
    const known = "HEADER DIV B SPAN H1 P SECTION BUTTON SMALL DL DT DD MAIN LABEL SELECT OPTION INPUT OUTPUT FIGURE FIGCAPTION UL LI I CANVAS H2 TABLE THEAD TR TH TBODY TD OL TIME NOSCRIPT".split(" ");
    const all = [...document.body.querySelectorAll("*")];
    const found = all.filter((element) => !known.includes(element.tagName)).map((element) => `<${element.tagName.toLowerCase()}>`);
    for (const element of all) for (const { name } of element.attributes) if (/^on|^(src|href|srcdoc)$/.test(name)) found.push(`${element.tagName.toLowerCase()} ${name}=`);
    if (document.scripts.length !== 2) found.push(`${document.scripts.length} scripts`);
    if (globalThis.injected !== undefined) found.push("a script of a name has run");
    if (/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(document.body.textContent)) found.push("signs that turn the direction of writing");
    return found;
  },

  /** How often the page has an event whose second did not come before the connection was lost, once it has come with both; of a
   *  made-up one. */
  brokenOff() {
    const say = (kind, data) => source.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }));
    const event = { at: 0, kind: "broken off", subject: "", text: "" };
    say("events", [event]);
    source.dispatchEvent(new Event("open"));
    say("events", [event]);
    say("second", levels[0].at(-1));
    return state.events.filter(({ kind }) => kind === event.kind).length;
  },

  /** Names that are shown as they were written. */
  told(names) {
    const text = document.body.textContent + [...document.querySelectorAll("[title]")].map((element) => element.title).join(" ");
    return names.filter((name) => text.includes(name));
  },
})
