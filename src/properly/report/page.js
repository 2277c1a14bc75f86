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

  const percent = (x) => `${Number((100 * x).toFixed(3))} %`;
  const span = ([lower, upper]) => `${percent(lower)} to ${percent(upper)}`;
  const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (x) => x.charCodeAt(0)).buffer);

  // Standard errors and chances over all ranges between two of the ends that the page holds.
  function ranges(sure) {
    const ends = sure.thresholds, count = (ends.length * (ends.length - 1)) / 2;
    const models = [...Array(sure.models).keys()];
    const errors = floats(sure.errors), chances = floats(sure.chances);
    const pairs = models.flatMap((i) => models.slice(i + 1).map((j) => [i, j]));
    const away = (k, x) => Math.abs(ends[k] - x);
    const nearest = (x) => ends.reduce((best, _, k) => (away(k, x) < away(best, x) ? k : best), 0);
    return (lower, upper) => {
      const first = Math.min(nearest(lower), ends.length - 2);
      const last = Math.max(nearest(upper), first + 1);
      const at = (first * (2 * ends.length - first - 1)) / 2 + last - first - 1;
      const apart = new Set(pairs.filter((_, k) => chances[k * count + at] <= sure.alpha).map(String));
      return {
        ends: [ends[first], ends[last]],
        reach: (model) => sure.quantile * errors[model * count + at],
        told: (...pair) => apart.has(String(pair.sort((a, b) => a - b))),
        pairs: pairs.length,
      };
    };
  }

  // The best model and all that it cannot be told apart from make a tier; then the best of the rest.
  function tiers(models, told) {
    const result = new Map();
    for (let rest = models, tier = 1; rest.length; tier++) {
      const [best] = rest, same = rest.filter((model) => model === best || !told(best, model));
      for (const model of same) result.set(model, { tier, best });
      rest = rest.filter((model) => !same.includes(model));
    }
    return result;
  }

  // The table below the regret curves holds what the brush has selected, for eyes and ears.
  async function follow(view) {
    const table = document.getElementById("ranking"), body = table.tBodies[0];
    const sure = specs.regret.usermeta, over = sure.models ? ranges(sure) : null;
    const plain = (model) => model.replace(unseen, "");
    const signals = () => ["lower", "upper"].map((name) => view.signal(name)), start = String(signals());
    const tell = () => {
      const rows = view.data(table.dataset.from).slice().sort((a, b) => a.row - b.row);
      const chosen = signals(), here = over?.(...chosen);
      const models = rows.filter((row) => !row.baseline);
      const tier = here ? tiers(models.map((row) => row.number), here.told) : new Map();
      const names = new Map(models.map((row) => [row.number, plain(row.model)]));
      body.replaceChildren(...rows.map(({ model, number, mean_regret: regret, rank, baseline }) => {
        const row = document.createElement("tr"), head = document.createElement("th");
        const name = document.createElement("bdi"), among = baseline ? null : tier.get(number);
        head.scope = "row"; name.textContent = plain(model); head.append(name);
        if (baseline) row.className = "baseline";
        row.append(head, cell(String(rank)), cell(regret.toPrecision(5), regret));
        row.append(...(here && !baseline ? around(regret, here.reach(number)) : [cell("")]));
        const place = cell(among ? String(among.tier) : "");
        if (among && among.best !== number) {
          const beside = document.createElement("span");
          beside.className = "around"; beside.textContent = `not told apart from ${names.get(among.best)}`;
          place.append(beside);
        }
        row.append(place);
        return row;
      }));
      document.getElementById("sure").textContent = said(here, chosen);
    };
    const said = (here, chosen) => {
      if (!here) return sure.why;
      const near = here.ends.every((end, k) => Math.abs(end - chosen[k]) < 1e-9);
      const taken = `Widths of intervals and tiers are those of ${span(here.ends)}, the nearest range that the page holds. `;
      const pairs = here.pairs === 1 ? "one pair" : `${here.pairs} pairs`;
      const told = ` Models of one tier cannot be told apart from its first, allowing for ${pairs}.`;
      return `${near ? "" : taken}Intervals hold with ${sure.level}, one by one.${here.pairs ? told : ""}`;
    };
    const ends = () => {
      const chosen = signals();
      ["lower", "upper"].forEach((name, k) => {
        range.elements[name].value = String(Number((100 * chosen[k]).toFixed(3)));
      });
      answer("");
      const other = `The headline speaks of ${span(sure.headline)}; you look at ${span(chosen)}.`;
      document.getElementById("other-range").textContent = String(chosen) === start ? "" : other;
      if (specs.decision?.layer[0].data?.name === "range" && drawn.has("decision")) {
        drawn.get("decision").view.data("range", [{ lower: chosen[0], upper: chosen[1] }]).runAsync();
      }
    };
    view.addDataListener(table.dataset.from, tell);
    for (const name of ["lower", "upper"]) view.addSignalListener(name, ends);
    // Not while it is dragged: to press the button down chooses all thresholds.
    document.getElementById("drawing-regret").addEventListener("pointerup", () => reveal(signals()));
    tell(); ends();
  }

  function around(middle, reach) {
    if (!(reach > 0)) return [cell("")];
    const ends = [middle - reach, middle + reach];
    const place = cell(ends.map((x) => x.toPrecision(4)).join(" to "), "");
    [place.dataset.lower, place.dataset.upper] = ends.map(String);
    return [place];
  }

  function cell(text, value = text) {
    const found = document.createElement("td");
    found.textContent = text; found.dataset.value = String(value);
    return found;
  }

  function answer(text) {
    document.getElementById("answer").textContent = text;
  }

  function nonsense(lower, upper) {
    for (const [name, end] of Object.entries({ lower, upper })) {
      if (Number.isNaN(end)) return `The ${name} end is empty: type a number from 0 to 100.`;
      if (end < 0 || end > 100) return `The ${name} end is ${end} %: thresholds lie between 0 % and 100 %.`;
    }
    return lower < upper ? "" : `${lower} % is not below ${upper} %: the lower end comes first.`;
  }

  async function choose(lower, upper) {
    const ends = [lower, upper].map((percent) => percent / 100), wrong = nonsense(lower, upper);
    answer(wrong);
    if (wrong) return;
    const { view } = drawn.get("regret");
    await reveal(ends);
    await view.signal("brush_x", ends.map(view.scale("x"))).runAsync();
  }

  // Charts over thresholds show a range, or all of them.
  const zooms = [...document.querySelectorAll("[data-zoom]")], zoomable = ["regret", "decision"];
  const isZoomed = () => zooms.length > 0 && drawn.get("regret")?.view.signal("zoomed");

  async function zoom(zoomed) {
    for (const button of zooms) button.textContent = zoomed ? "zoom out" : `zoom to ${button.dataset.zoom}`;
    const views = zoomable.filter((name) => drawn.has(name)).map((name) => drawn.get(name).view);
    await Promise.all(views.map((view) => view.signal("zoomed", zoomed).runAsync()));
  }

  // Whoever chooses a range that reaches beyond what is seen wants to see it.
  async function reveal([lower, upper]) {
    if (!isZoomed()) return;
    const [first, last] = drawn.get("regret").view.scale("x").domain();
    if (lower < first || upper > last) await zoom(false);
  }

  for (const box of boxes) box.addEventListener("change", show);
  range?.addEventListener("submit", (event) => event.preventDefault());
  range?.addEventListener("change", () => choose(range.elements.lower.valueAsNumber, range.elements.upper.valueAsNumber));
  document.getElementById("all-thresholds")?.addEventListener("click", async () => {
    await reveal([0, 1]);
    await drawn.get("regret").view.signal("brush_x", [0, 0]).runAsync();
  });
  for (const button of zooms) button.addEventListener("click", () => zoom(!isZoomed()));
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
  // Those that are unfolded together take it together, since all charts are drawn again.
  let isDue = false;
  for (const part of document.querySelectorAll("details:has(.drawing)")) {
    part.addEventListener("toggle", () => {
      if (!part.open || isDue) return;
      isDue = true;
      requestAnimationFrame(() => { isDue = false; dispatchEvent(new Event("resize")); });
    });
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
