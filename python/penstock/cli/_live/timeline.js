"use strict";
// What each thread did when: drawn, zoomed and moved. `$`, `element`, `number` and COLOURS are those of page.js.

let line = null, from = 0, to = 1;
const ROW = 26, LEFT = 96;

function timeline(next) {
  if (next === line || (line && JSON.stringify(next) === JSON.stringify(line))) return;
  line = next;
  $("legend").replaceChildren(...next.names.map((name, i) => {
    const mark = element("i");
    mark.style.background = COLOURS[i % COLOURS.length];
    return element("span", {}, mark, name);
  }));
  paint();
}

function paint() {
  if (!line) return;
  const canvas = $("rows").querySelector("canvas") ?? element("canvas");
  if (!canvas.parentNode) {
    $("rows").append(canvas);
    steer(canvas);
  }
  const width = $("rows").clientWidth, height = line.rows.length * ROW + 22, scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Timeline of ${number(line.span_ms)} ms: ` +
    line.rows.map((row) => `${row.thread} busy ${number(100 * row.busy, 0)} %`).join(", "));
  const look = getComputedStyle(document.body), pen = canvas.getContext("2d");
  const ink = look.color, quiet = look.getPropertyValue("--quiet"), raised = look.getPropertyValue("--raised");
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  const x = (ms) => LEFT + (ms / line.span_ms - from) / (to - from) * (width - LEFT);
  line.rows.forEach((row, i) => {
    const top = i * ROW;
    pen.fillStyle = raised;
    pen.fillRect(LEFT, top + 2, width - LEFT, ROW - 4);
    for (const [name, start, length] of row.events) {
      const left = Math.max(LEFT, x(start)), right = x(start + length);
      if (right < LEFT || left > width) continue;
      pen.globalAlpha = line.names[name] === "wait for batch" ? 0.35 : 1;
      pen.fillStyle = COLOURS[name % COLOURS.length];
      pen.fillRect(left, top + 4, Math.max(0.6, right - left - 0.4), ROW - 8);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    pen.fillText(row.thread, 0, top + 12);
    pen.fillStyle = quiet;
    pen.fillText(`${number(100 * row.busy, 0)} % busy`, 0, top + 24);
  });
  pen.fillStyle = quiet;
  for (let tick = 0; tick <= 6; ++tick) {
    const ms = line.span_ms * (from + (to - from) * tick / 6);
    pen.textAlign = tick === 6 ? "right" : "left";
    pen.fillText(`${number(ms, 2)} ms`, x(ms), height - 4);
  }
  pen.textAlign = "left";
}

function zoom(factor, middle) {
  const span = Math.min(1, Math.max(1e-4, (to - from) * factor));
  from = Math.min(1 - span, Math.max(0, middle - (middle - from) / (to - from) * span));
  to = from + span;
  paint();
}

function steer(canvas) {
  const place = (event) => from + (to - from) * Math.max(0, event.offsetX - LEFT) / (canvas.clientWidth - LEFT);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event));
  }, { passive: false });
  canvas.addEventListener("dblclick", () => zoom(1e9, 0));
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) {
      const by = -event.movementX / (canvas.clientWidth - LEFT) * (to - from), span = to - from;
      from = Math.min(1 - span, Math.max(0, from + by));
      to = from + span;
      paint();
    } else {
      canvas.title = under(event, canvas);
    }
  });
}

function under(event, canvas) {
  const row = line.rows[Math.floor(event.offsetY / ROW)];
  if (!row || event.offsetX < LEFT) return "";
  const ms = line.span_ms * (from + (to - from) * (event.offsetX - LEFT) / (canvas.clientWidth - LEFT));
  const hit = row.events.findLast(([, start, length]) => start <= ms && ms <= start + length);
  return hit ? `${line.names[hit[0]]}: ${number(hit[2] * 1000, 0)} us, batch ${hit[3]}, sample ${hit[4]}` : "";
}
