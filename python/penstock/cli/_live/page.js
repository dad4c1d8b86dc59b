"use strict";
const $ = (id) => document.getElementById(id);
const token = document.querySelector('meta[name="token"]').content;
const at = (path) => `${path}?token=${encodeURIComponent(token)}`;
const COLOURS = ["#4c8dff", "#e5534b", "#46a758", "#d9a514", "#a66be0", "#19a5a5", "#e07b39", "#8f8f4a", "#d6409f", "#6b7f99"];

const NEWEST = 0, NONE = -1;  // what is shown beside a batch of a number

let state = null;     // what the last event said
let loads = -1;       // of which the plan is shown
let shown = 0;        // number of the batch that is shown
let fetching = false;
let wished = null;    // what was to be shown meanwhile
let batch = null;     // what the server said of it
let follow = true;    // whether the newest batch is shown
let opened = -1;      // sample that is looked into

// Speaking with the server ------------------------------------------------------------------------------------------

async function get(path) {
  const answer = await fetch(at(path));
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

function ask(what, value) {
  return fetch("/do", { method: "POST", headers: { "X-Token": token }, body: JSON.stringify({ do: what, value }) });
}

function listen() {
  const events = new EventSource(at("/events"));
  events.onmessage = (event) => update(JSON.parse(event.data));
  events.onerror = () => {
    if (state?.closed || events.readyState === EventSource.CLOSED) events.close();
    say("The command has ended, or does not answer.");
  };
}

// Drawing -----------------------------------------------------------------------------------------------------------

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function say(text) {
  if ($("status").textContent !== text) $("status").textContent = text;
}

function number(value, digits = 1) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function update(next) {
  state = next;
  if (state.closed) {
    say("The command has ended.");
    return;
  }
  if (state.loads !== loads || ($("graph").childElementCount === 0 && state.rates)) about(state.loads);
  $("toggle").textContent = state.paused ? "Go on" : "Pause";
  if (document.activeElement !== $("step")) $("step").value = Math.round(state.step_ms);
  $("error").hidden = !state.error;
  if (state.error) {
    $("when").textContent = state.error.when;
    $("trace").textContent = state.error.text;
  }
  say(state.error ? "Stopped by an error." : state.note ? state.note : !state.batches.length ? "Waiting for the first batch ..."
    : state.paused ? "Paused. Right arrow: next batch; space: go on." : "Running. Space pauses.");
  if (state.rates) rates(state.rates);
  if (state.timeline) timeline(state.timeline);
  catchUp();
}

function catchUp() {
  const newest = state.batches.at(-1);
  if (newest === undefined) show(NONE);
  else if ((follow || shown < 1) && newest !== shown && opened < 0) show(NEWEST);
}

async function about(of) {
  loads = of;
  const facts = await get("/about");
  $("what").textContent = facts.what;
  document.title = `${facts.what} - Penstock`;
  $("graph").innerHTML = facts.plan ?? "";  // made by this program, with all names escaped
  $("explain").textContent = facts.explain ?? "";
  pairs($("facts"), Object.entries(facts.facts ?? {}));
}

function pairs(list, entries) {
  list.replaceChildren(...entries.flatMap(([name, value]) =>
    [element("dt", { textContent: name }), element("dd", { textContent: String(value) })]));
}

async function show(which) {
  if (which === NONE) {
    shown = 0;
    batch = null;
    $("grid").replaceChildren();
    $("number").textContent = "";
    $("note").textContent = "";
    return;
  }
  if (fetching) {
    wished = which;
    return;
  }
  fetching = true;
  try {
    batch = await get(`/batch/${which}`);
    shown = batch.number;
    $("number").textContent = `${shown.toLocaleString("en")}, ${batch.samples.length} samples`;
    $("note").textContent = batch.note ?? "";
    await draw(batch);
  } catch {
    shown = -1;  // it was let go meanwhile
  } finally {
    fetching = false;
    const next = wished;
    wished = null;
    if (next === null) setTimeout(catchUp, 30);  // no event may come any more
    else show(next);
  }
}

async function draw(of) {
  const cells = of.samples.map((sample, i) => cell(of.number, sample, i));
  const drawn = Promise.all(cells.map((one) => one.querySelector("img")?.decode().catch(() => {})));
  await Promise.race([drawn, new Promise((over) => setTimeout(over, 1000))]);  // no flicker, but no standstill either
  const there = [...$("grid").children];
  cells.forEach((one, i) => {
    if (!there[i]) {
      $("grid").append(one);
      return;
    }
    there[i].replaceChildren(...one.childNodes);  // buttons stay: a click may have begun on them, or they have the focus
    there[i].className = one.className;
    there[i].title = one.title;
    there[i].setAttribute("aria-label", one.getAttribute("aria-label"));
  });
  there.slice(cells.length).forEach((one) => one.remove());
}

function cell(which, sample, i) {
  const name = sample.caption || `sample ${i}`;
  const button = element("button", { type: "button", className: "cell", title: sample.source || name });
  button.setAttribute("aria-label", `Sample ${i}: ${name} ${sample.valid ? "" : "(not valid)"} ${sample.source}`);
  if (sample.picture) button.append(element("img", { src: at(`/batch/${which}/${i}.png`), alt: "" }));
  else button.classList.add("none");
  if (!sample.valid) button.classList.add("invalid");
  button.append(element("strong", { textContent: sample.valid ? name : `${name} (not valid)` }),
    element("small", { textContent: sample.source.split("/").slice(-2).join("/") }));
  button.onclick = () => open(i);
  return button;
}

function bar(name, share, text) {
  const made = element("div", { className: "bar" });
  const meter = element("progress", { max: 1, value: Math.min(1, Math.max(0, share)) });
  meter.setAttribute("aria-label", `${name}: ${text}`);
  made.append(element("span", { textContent: name, title: name }), meter, element("span", { textContent: text }));
  return made;
}

function rates(of) {
  pairs($("rates"), [
    ["batches/s", number(of.batches_per_s)], ["samples/s", number(of.samples_per_s, 0)],
    ["batches so far", of.batches.toLocaleString("en")], ["samples that failed", of.failures.toLocaleString("en")],
  ]);
  $("says").textContent = of.says;
  const percent = (share) => `${number(100 * share, 0)} %`;
  const waits = [
    bar("loop waits", of.waits.loader, percent(of.waits.loader)), bar("training step", of.waits.step, percent(of.waits.step)),
    bar("workers busy", of.busy / of.workers, `${number(of.busy)} of ${of.workers}`),
  ];
  if (of.not_in_memory !== null) waits.push(bar("not in memory", of.not_in_memory, percent(of.not_in_memory)));
  if (of.gpu > 0) waits.push(bar("GPU awaited", of.gpu, percent(of.gpu)));
  $("waits").replaceChildren(...waits);
  const all = of.operators.reduce((sum, one) => sum + one.cores, 0) || 1;
  const most = [...of.operators].sort((a, b) => b.cores - a.cores).slice(0, 8);
  $("operators").replaceChildren(...most.map((one) => bar(one.name, one.cores / all, `${number(one.us, 0)} us`)));
  of.operators.forEach((one, i) => {
    const box = $("graph").querySelector(`[data-op="${i}"]`);
    if (!box) return;
    const whole = Number(box.querySelector("rect").getAttribute("width"));
    box.querySelector(".share").setAttribute("width", whole * one.cores / all);
    box.querySelector(".below").textContent = `${number(one.us, one.us < 10 ? 1 : 0)} us a sample`;
  });
}

// A sample ----------------------------------------------------------------------------------------------------------

let size = 1, move = [0, 0], whole = false;

async function open(i) {
  if (!batch || i < 0 || i >= batch.samples.length) return;
  opened = i;
  const sample = batch.samples[i];
  $("title").textContent = `Batch ${batch.number}, sample ${i}${sample.caption ? `: ${sample.caption}` : ""}`
    + (sample.index >= 0 ? ` (number ${sample.index} of the data set)` : "");
  $("frame").hidden = !sample.picture;
  picture();
  fit();
  if (!$("sample").open) $("sample").showModal();
  try {
    const outputs = await get(`/batch/${batch.number}/${i}`);
    $("facts-of-sample").replaceChildren(...outputs.map(row));
  } catch {
    $("facts-of-sample").replaceChildren(element("tr", {},
      element("td", { colSpan: 9, textContent: "This batch was let go; pause, and look again." })));
  }
}

function picture() {
  if (!batch?.samples[opened]?.picture) return;
  $("picture").src = at(`/batch/${batch.number}/${opened}${whole ? "/whole" : ""}.png`);
  $("picture").alt = `${$("title").textContent}, ${whole ? "all pixels" : "with labels"}`;
}

function row(one) {
  const figure = (value) => value === undefined ? "" : Number.isInteger(value) ? String(value) : number(value, 4);
  const cells = [one.output, `(${one.shape.join(", ")})`, one.dtype, one.layout || "none", figure(one.min), figure(one.max),
    figure(one.mean), one.device, one.source];
  if (one.not_finite) cells[5] += ` (${one.not_finite} not finite)`;
  const made = element("tr", {}, ...cells.map((text) => element("td", { textContent: String(text) })));
  if (one.values) made.title = one.values;
  return made;
}

function place() {
  $("picture").style.transform = `translate(${move[0]}px, ${move[1]}px) scale(${size})`;
  $("picture").classList.toggle("pixels", size > 2);
}

function fit() {
  size = 1;
  move = [0, 0];
  place();
}

function enlarge(factor) {
  size = Math.min(40, Math.max(0.2, size * factor));
  place();
}

$("frame").addEventListener("wheel", (event) => {
  event.preventDefault();
  enlarge(event.deltaY > 0 ? 0.85 : 1.18);
}, { passive: false });
$("frame").addEventListener("pointerdown", (event) => {
  event.preventDefault();
  $("frame").setPointerCapture(event.pointerId);
});
$("frame").addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  move = [move[0] + event.movementX, move[1] + event.movementY];
  place();
});
$("frame").addEventListener("dblclick", fit);
$("sample").addEventListener("close", () => {
  const last = opened;
  opened = -1;
  catchUp();
  $("grid").children[last]?.focus();
});

// Keys and buttons --------------------------------------------------------------------------------------------------

function earlier() {
  if (!state) return;
  follow = false;
  if (!state.paused) ask("pause");
  const before = state.batches.filter((one) => one < shown).at(-1);
  if (before) show(before);
}

function later() {
  if (!state) return;
  const after = state.batches.find((one) => one > shown);
  if (state.paused && after) return show(after);
  follow = true;
  return ask("next");
}

function toggle() {
  follow = true;
  return ask("toggle");
}

const KEYS = {
  " ": toggle, ArrowRight: later, ArrowLeft: earlier, r: () => ask("reload"), "?": () => $("keys").showModal(),
};
const IN_SAMPLE = {
  ArrowRight: () => open(opened + 1), ArrowLeft: () => open(opened - 1), "+": () => enlarge(1.4), "-": () => enlarge(0.7),
  "0": fit, l: () => { whole = !whole; picture(); },
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT" || $("keys").open) return;
  if (event.key === " " && event.target.tagName === "SUMMARY") return;
  const does = ($("sample").open ? IN_SAMPLE : KEYS)[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});
$("back").onclick = earlier;
$("next").onclick = later;
$("toggle").onclick = toggle;
$("reload").onclick = () => ask("reload");
$("help").onclick = () => $("keys").showModal();
$("step").onchange = () => ask("step", Number($("step").value) || 0);
addEventListener("resize", paint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
listen();
