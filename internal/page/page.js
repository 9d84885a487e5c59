"use strict";
(() => {
  const $ = (s, e = document) => e.querySelector(s), all = (s, e = document) => [...e.querySelectorAll(s)];
  const el = (tag, text, cls) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (cls) e.className = cls; return e; };

  // Filters. A race is shown when one of its rows is.
  function filters() {
    const rows = all("#rows tr"), races = new Map(all("section.race").map(s => [s.dataset.race, s]));
    const text = new Map(rows.map(r => [r, (r.textContent + " " + r.dataset.invariant + " " + (races.get(r.dataset.race)?.querySelector(".story")?.textContent ?? "")).toLowerCase()]));
    const fill = (id, words) => [...new Set(words)].filter(Boolean).sort().forEach(w => $(id).append(el("option", w)));
    fill("#subject", rows.map(r => r.dataset.subject));
    fill("#invariant", rows.flatMap(r => r.dataset.invariant.split("|")));
    function filter() {
      const words = $("#search").value.toLowerCase().split(/\s+/), subject = $("#subject").value, verdict = $("#verdict").value, invariant = $("#invariant").value, seen = new Set();
      let n = 0;
      for (const r of rows) {
        const d = r.dataset, show = words.every(w => text.get(r).includes(w)) && (!subject || d.subject === subject) && (!verdict || d.verdict === verdict) && (!invariant || d.invariant.split("|").includes(invariant));
        r.hidden = !show;
        if (show) { n++; seen.add(d.race); }
      }
      races.forEach((s, id) => { s.hidden = !seen.has(id); });
      $("#shown").textContent = n + " of " + rows.length;
    }
    $("#filters").hidden = false;
    $("#filters").addEventListener("input", filter);
    $("#filters").addEventListener("submit", e => e.preventDefault());
    filter();
  }
  if ($("#filters")) filters();

  // Copy, also where a file from disk may not use the clipboard directly.
  all("[data-copy]").forEach(b => { b.hidden = false; });
  document.addEventListener("click", async e => {
    const b = e.target.closest("[data-copy]");
    if (!b) return;
    const label = b.textContent;
    try { await navigator.clipboard.writeText(b.dataset.copy); } catch {
      const t = el("textarea"); t.value = b.dataset.copy; document.body.append(t); t.select(); document.execCommand("copy"); t.remove();
    }
    b.textContent = "Copied"; setTimeout(() => { b.textContent = label; }, 1200);
  });

  // Time travel. The state at a step is what was there before, with the changes of each step until then.
  const value = v => v ? v.type + " " + v.items.join(" ") + (v.expires_ms === undefined ? "" : " (goes at " + v.expires_ms / 1000 + " s)") : "(gone)";
  const open = new Map();
  function trip(box) {
    const id = box.dataset.for;
    if (!open.has(id)) {
      const d = JSON.parse($("#data-" + CSS.escape(id)).textContent), keys = new Map((d.before ?? []).map(k => [k.key, k.value]));
      const marks = new Map(all(":scope > .diagram [data-n]", $("#" + CSS.escape(id))).map(g => [+g.dataset.n, g]));
      const turns = new Map(); // the places of each actor's steps
      d.steps.forEach((s, i) => { if (s.actor) (turns.get(s.actor) ?? turns.set(s.actor, []).get(s.actor)).push(i); });
      open.set(id, { d, at: 0, keys, marks, turns: [...turns].sort((a, b) => a[0] < b[0] ? -1 : 1) });
    }
    return open.get(id);
  }
  function after(list, n) { // how many places are below n
    let lo = 0, hi = list.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid] < n) lo = mid + 1; else hi = mid; }
    return lo;
  }
  function go(box, n, link) {
    const t = trip(box), steps = t.d.steps;
    n = Math.max(0, Math.min(steps.length, n));
    t.marks.get(steps[t.at - 1]?.n)?.classList.remove("now");
    const put = (k, v) => v ? t.keys.set(k, v) : t.keys.delete(k);
    while (t.at < n) for (const c of steps[t.at++].changes ?? []) put(c.key, c.after);
    while (t.at > n) for (const c of [...(steps[--t.at].changes ?? [])].reverse()) put(c.key, c.before);
    const s = steps[n - 1];
    t.marks.get(s?.n)?.classList.add("now");
    $("input", box).value = n;
    $("output", box).textContent = "Step " + n + " of " + steps.length + (s ? ": " + s.token + (s.reply ? " → " + s.reply : "") + ", clock " + s.at : ": before anything");
    draw($(".state", box), t, n, s);
    if (link) history.replaceState(null, "", "#" + box.dataset.for + "/" + n);
  }
  // What an actor waits with at the gate after n steps: operations that have come and not gone, or why there is none.
  function atGate(t, actor, next, n) {
    const since = s => (s ? " (since step " + s + ")" : " (from the beginning)");
    const waits = next.map(i => t.d.steps[i]).filter(s => (s.kind === "operation" || s.kind === "point") && (s.since ?? 0) <= n).map(s => s.token + since(s.since));
    for (const w of t.d.waited ?? []) if (w.actor === actor && w.since <= n && (!w.until || n < w.until)) waits.push(w.text + since(w.since));
    if (waits.length) return waits.join("; ");
    const said = [...(t.d.events ?? []), ...t.d.steps.slice(0, n).flatMap(s => s.events ?? [])], dead = t.d.steps.slice(0, n).some(s => s.actor === actor && (s.kind === "crash" || s.fault === "crash"));
    return dead ? "nothing: it is dead" : said.includes(actor + " ends") ? "nothing: it has ended" : "nothing: it computes, sleeps or waits for an answer";
  }
  function table(caption, head, lines) {
    const t = el("table"), c = t.createCaption(), h = t.createTHead().insertRow(), b = t.createTBody();
    c.textContent = caption;
    head.forEach(w => { const th = el("th", w); th.scope = "col"; h.append(th); });
    for (const { cells, cls } of lines) { const r = b.insertRow(); if (cls) r.className = cls; cells.forEach(c => r.insertCell().append(c)); }
    return t;
  }
  function draw(out, t, n, s) {
    const changed = new Set((s?.changes ?? []).map(c => c.key)), keys = [...new Set([...t.keys.keys(), ...changed])].sort();
    const keyed = keys.map(k => ({ cells: [k, value(t.keys.get(k)) + (changed.has(k) ? " ← changed" : "")], cls: changed.has(k) ? "changed" : "" }));
    const actors = t.turns.map(([a, turns]) => {
      const i = after(turns, n), last = t.d.steps[turns[i - 1]], where = last?.caller ?? "", line = t.d.lines[where];
      return { cells: [a, where + (line ? "  " + line : ""), atGate(t, a, turns.slice(i, i + 16), n)] };
    });
    const held = t.d.verdicts.map(v => {
      const end = n === t.d.steps.length, judged = v.when === "finally" ? end : n >= v.step || v.outcome === "held";
      if (v.when === "finally" && !end) return { cells: [v.invariant, el("span", "judged at the end", "dim")] };
      const now = judged ? v.outcome : "held", text = now === "held" ? "holds" : now === "violated" ? "violated since step " + v.step : "undecided";
      return { cells: [v.invariant, el("span", text, "tag " + now)] };
    });
    out.replaceChildren(table("Keys", ["Key", "Value"], keyed), table("Actors", ["Actor", "Is at", "Waits at the gate with"], actors), table("Invariants", ["Invariant", "Now"], held));
  }
  all(".travel").forEach(b => { b.hidden = false; });
  const near = e => e.closest?.("article")?.querySelector(".travel");
  document.addEventListener("click", e => {
    const b = e.target.closest("[data-go]"), mark = e.target.closest("article > .diagram [data-n]"), box = near(e.target);
    if (!box) return;
    if (b) go(box, trip(box).at + +b.dataset.go, true);
    else if (mark) go(box, trip(box).d.steps.findIndex(s => s.n === +mark.dataset.n) + 1, true);
  });
  document.addEventListener("input", e => { if (e.target.type === "range") go(near(e.target), +e.target.value, true); });
  document.addEventListener("keydown", e => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight" || e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const box = near(e.target);
    if (box) { go(box, trip(box).at + (e.key === "ArrowRight" ? 1 : -1), true); e.preventDefault(); }
  });
  function follow() {
    const [, id, n] = decodeURIComponent(location.hash).match(/^#(.+?)(?:\/(\d+))?$/) ?? [], target = id && document.getElementById(id);
    if (!target) return;
    target.scrollIntoView();
    const box = $(".travel", target);
    if (n !== undefined && box) { go(box, +n, false); target.focus({ preventScroll: true }); }
  }
  addEventListener("hashchange", follow);
  follow();
})();
