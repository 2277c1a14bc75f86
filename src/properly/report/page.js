"use strict";
// Draws the charts, switches models on and off in all of them, and lets the keyboard choose the
// range of thresholds. What comes from users is only ever a value or the text of an element.
(async () => {
  const read = (name, each) => JSON.parse(document.getElementById(name).textContent, each);
  // Vega keeps what it groups by name in plain objects, which have some names from the start, such
  // as "constructor": these are given an end that is not seen.
  const unseen = "\u2060";
  const apart = (text) => (typeof text === "string" && text in Object.prototype ? text + unseen : text);
  const specs = read("charts", (key, value) => apart(value)), config = read("theme"), drawn = new Map();
  const boxes = [...document.querySelectorAll("[data-model]")];
  const range = document.getElementById("range");
  const switchedOn = () => boxes.filter((box) => box.checked).map((box) => apart(box.value));
  const options = {
    mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, config,
    tooltip: { disableDefaultStyle: true },
  };

  async function draw(name) {
    const place = document.getElementById(`drawing-${name}`);
    const result = await vegaEmbed(place, specs[name], options);
    // Vega calls it a document, of which every mark would be read aloud.
    place.setAttribute("role", "img");
    place.removeAttribute("aria-roledescription");
    drawn.set(name, result);
    if (name === "regret") await follow(result.view);
  }

  async function show() {
    const names = switchedOn(), strips = [...document.querySelectorAll("#dots li")];
    boxes.forEach((box, k) => { if (strips[k]) strips[k].hidden = !box.checked; });
    await Promise.all([...drawn.values()].map(({ view }) => view.signal("shown", names).runAsync()));
  }

  // The table below the regret curves holds what the brush has selected, for eyes and ears.
  async function follow(view) {
    const table = document.getElementById("ranking"), body = table.tBodies[0];
    const tell = () => {
      const rows = view.data(table.dataset.from).slice().sort((a, b) => a.row - b.row);
      body.replaceChildren(...rows.map(({ model, mean_regret: regret, rank, baseline }) => {
        const row = document.createElement("tr"), head = document.createElement("th");
        const name = document.createElement("bdi");
        head.scope = "row"; name.textContent = model.replace(unseen, ""); head.append(name);
        if (baseline) row.className = "baseline";
        row.append(head, cell(String(rank)), cell(regret.toPrecision(5), regret));
        return row;
      }));
    };
    const ends = () => {
      for (const name of ["lower", "upper"]) {
        range.elements[name].value = String(Number((100 * view.signal(name)).toFixed(3)));
      }
    };
    view.addDataListener(table.dataset.from, tell);
    for (const name of ["lower", "upper"]) view.addSignalListener(name, ends);
    tell(); ends();
  }

  function cell(text, value = text) {
    const found = document.createElement("td");
    found.textContent = text; found.dataset.value = String(value);
    return found;
  }

  async function choose(lower, upper) {
    const ends = [lower, upper].map((percent) => percent / 100);
    if (!(0 <= ends[0] && ends[0] < ends[1] && ends[1] <= 1)) return;
    const { view } = drawn.get("regret");
    await view.signal("brush_x", ends.map(view.scale("x"))).runAsync();
  }

  for (const box of boxes) box.addEventListener("change", show);
  range?.addEventListener("submit", (event) => event.preventDefault());
  range?.addEventListener("change", () => choose(range.elements.lower.valueAsNumber, range.elements.upper.valueAsNumber));
  document.getElementById("all-thresholds")?.addEventListener("click", () => {
    drawn.get("regret").view.signal("brush_x", [0, 0]).runAsync();
  });
  document.getElementById("save")?.addEventListener("click", () => {
    const link = document.createElement("a");
    const numbers = document.getElementById("numbers").textContent;
    link.href = URL.createObjectURL(new Blob([numbers], { type: "application/json" }));
    link.download = "properly.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  // A page that was opened from a file, or stands in a frame, may have no clipboard but the old one.
  document.getElementById("copy-methods")?.addEventListener("click", async () => {
    const text = document.getElementById("methods-text"), status = document.getElementById("copied");
    try {
      await navigator.clipboard.writeText(text.textContent);
      status.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(text);
      status.textContent = document.execCommand("copy") ? "Copied." : "Selected: press Ctrl+C to copy.";
    }
  });
  // In people: the table and the dots follow the threshold, which is one of a grid.
  function people() {
    const place = document.getElementById("threshold"), status = place?.querySelector("output");
    if (!place) return;
    const { percent, labels, rows: texts, dots } = read("in-people"), { elements } = place;
    const region = document.getElementById("in-people-table"), table = region.querySelector("table");
    const rows = [...table.tBodies[0].rows], strips = rows.map((row) => strip(row));
    for (const other of document.querySelectorAll("[data-unscripted]")) other.remove();
    place.hidden = document.getElementById("dots-key").hidden = false;
    document.getElementById("dots").replaceChildren(...strips.map(({ item }) => item));
    const at = (list, k) => list[Math.min(k, list.length - 1)];
    const go = (k, remark = "") => {
      rows.forEach((row, i) => {
        const found = at(texts[i], k).split("|").map((text) => text.split("/")), [alarms, right, missed] = found;
        found.forEach(([number, ...ends], j) => {
          const unit = j > 2 && number !== "\u2013" ? " %" : "";
          const now = cell(number + unit), below = document.createElement("span");
          below.className = "around"; below.textContent = ends.join(" to ") + unit;
          if (ends.length) now.append(below);
          row.cells[j + 1].replaceWith(now);
        });
        strips[i].set(at(dots[i], k), `${alarms[0]} alarms, ${right[0]} of them right; ${missed[0]} events missed`);
      });
      table.caption.querySelector("span").textContent = labels[k].replace(" ", "\u00a0");
      region.setAttribute("aria-label", `In people, at a threshold of ${labels[k]}`);
      elements.place.value = String(k);
      elements.place.setAttribute("aria-valuetext", labels[k]);
      status.textContent = remark + (remark ? "" : `At ${labels[k]}: ${strips[0].item.textContent}`);
    };
    const type = () => {
      const asked = elements.percent.valueAsNumber;
      if (!(asked >= 0 && asked <= 100)) {
        status.textContent = `Write a threshold between ${labels[0]} and ${labels.at(-1)}.`;
        return;
      }
      const away = percent.map((x) => Math.abs(x - asked)), k = away.indexOf(Math.min(...away));
      go(k, away[k] > 1e-6 ? `This page has no numbers at ${asked} %; these are at the nearest threshold, ${labels[k]}.` : "");
    };
    place.addEventListener("submit", (event) => { event.preventDefault(); type(); });
    elements.percent.addEventListener("change", type);
    elements.place.addEventListener("input", () => {
      const k = elements.place.valueAsNumber;
      elements.percent.value = String(Number(percent[k].toPrecision(6)));
      go(k);
    });
    go(elements.place.valueAsNumber);
    status.textContent = "";
  }

  // A thousand dots in rows of a hundred: the kinds one after the other, column by column.
  function strip(row) {
    const make = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
    const item = document.createElement("li"), head = document.createElement("b"), words = document.createElement("span");
    const drawing = make("svg"), kinds = ["right", "vain", "missed", "rest"].map((kind) => {
      const path = make("path");
      path.setAttribute("class", kind); drawing.append(path);
      return path;
    });
    drawing.setAttribute("viewBox", "0 0 600 60");
    head.append(...[...row.cells[0].childNodes].map((node) => node.cloneNode(true)));
    item.append(head, " ", words, drawing);
    const set = (counts, text) => {
      words.textContent = text;
      let next = 0;
      kinds.forEach((path, j) => {
        let line = "";
        for (const end = j < 3 ? Math.min(next + counts[j], 1000) : 1000; next < end; next++) {
          line += `M${6 * Math.floor(next / 10) + 3} ${6 * (next % 10) + 3}h0`;
        }
        path.setAttribute("d", line);
      });
    };
    return { item, set };
  }

  people();

  // The verdict is printed; what else is folded away is not.
  const verdict = document.getElementById("verdict");
  let opened = false;
  addEventListener("beforeprint", () => { opened = !verdict.open; verdict.open = true; });
  addEventListener("afterprint", () => { if (opened) verdict.open = false; });

  // Whoever follows a link to something folded wants to see it.
  const unfold = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details")) target.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  // A chart takes the width of its place, and has none while it is folded away.
  for (const part of document.querySelectorAll("details")) {
    part.addEventListener("toggle", () => { if (part.open) dispatchEvent(new Event("resize")); });
  }

  for (const name of Object.keys(specs)) {
    try {
      await draw(name);
    } catch (error) {
      document.getElementById(`drawing-${name}`).textContent = "This picture could not be drawn.";
      console.error(name, error);
    }
  }
  document.documentElement.dataset.drawn = "yes";
})();
