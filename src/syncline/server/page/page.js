"use strict";
// Follows /api/v1/stream/applications and draws one section per Application. All text goes in as text nodes.
const apps = new Map();
let lastSeen = null, lastChange = null;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Colour is meaning and never stands without a shape. The order is the order on the page: what needs people first.
const LOOKS = {
  broken: { mark: "✖", one: "needs you", many: "need you" },
  decide: { mark: "◆", one: "needs a decision", many: "need a decision" },
  unknown: { mark: "○", one: "cannot be judged", many: "cannot be judged" },
  working: { mark: "◔", one: "is on its way", many: "are on their way" },
  good: { mark: "✔" },
};
const TONES = Object.keys(LOOKS);

function tone(sync, health, phase) {
  if (health === "Degraded" || phase === "Failed" || phase === "Error") return "broken";
  if (phase === "Running" || health === "Progressing") return "working";
  if (!sync || sync === "Unknown" || health === "Unknown") return "unknown";
  if (sync === "OutOfSync" || health === "Missing" || health === "Suspended") return "decide";
  return "good";
}

function toneOf(app) {
  const status = app.status || {};
  return tone((status.sync || {}).status, (status.health || {}).status, (status.operationState || {}).phase);
}

function sentence(app) {
  const status = app.status || {};
  const errors = (status.conditions || []).map((condition) => condition.message);
  if (errors.length) return errors.join(" · ");
  const state = status.operationState || {};
  if (state.phase && state.phase !== "Succeeded") return "sync " + state.phase.toLowerCase() + ": " + (state.message || "");
  const bad = (status.resources || []).filter((row) => row.health && row.health.status !== "Healthy" && row.health.message);
  if (bad.length) return bad.map((row) => row.kind + "/" + row.name + ": " + row.health.message).join(" · ");
  return (status.health || {}).message || "";
}

function origin(app) {
  const spec = app.spec || {};
  const source = spec.source || (spec.sources || [{}])[0];
  const revision = (((app.status || {}).sync || {}).revision || "").slice(0, 7);
  const from = [source.repoURL, source.path || source.chart, revision || source.targetRevision].filter(Boolean).join(" · ");
  const destination = spec.destination || {};
  return from + " → " + (destination.namespace || destination.server || destination.name || "");
}

function row(resource) {
  const health = resource.health || {};
  const look = tone(resource.status || "Synced", health.status || "Healthy", "");
  const line = element("tr", look);
  line.append(element("td", "mark", LOOKS[look].mark), element("td", "kind", resource.kind));
  line.append(element("td", "name", resource.name));
  const words = [resource.status, resource.requiresPruning && !resource.hook ? "no longer in Git" : "", health.status, health.message];
  line.append(element("td", "words", words.filter(Boolean).join(", ")));
  return line;
}

function section(app) {
  const status = app.status || {};
  const look = toneOf(app);
  const box = element("section");
  const words = [(status.sync || {}).status, (status.health || {}).status].filter(Boolean).join(", ");
  box.append(element("h2", look, LOOKS[look].mark + " " + app.metadata.name + " · " + (words || "not looked at yet")));
  box.append(element("p", "origin", origin(app)));
  const told = sentence(app);
  if (told) box.append(element("p", "sentence " + look, told));
  if (look !== "good") {
    const ask = element("p", "ask", "ask ");
    ask.append(element("code", "", "syncline why " + app.metadata.name));
    box.append(ask);
  }
  const body = element("tbody");
  for (const resource of status.resources || []) if (!resource.hook) body.append(row(resource));
  if (body.children.length) {
    const table = element("table");
    table.append(body);
    box.append(table);
  }
  return box;
}

function headline(all) {
  if (!all.length) return "No applications yet.";
  const counts = TONES.map((look) => [look, all.filter((app) => toneOf(app) === look).length]).filter(([, count]) => count);
  if (counts[0][0] === "good") return all.length === 1 ? all[0].metadata.name + " is Synced and Healthy." :
    "All " + all.length + " apps are Synced and Healthy.";
  if (all.length === 1) return all[0].metadata.name + " " + LOOKS[counts[0][0]].one + ".";
  const parts = counts.filter(([look]) => look !== "good").map(([look, count], index) =>
    count + (index ? " " : " of " + all.length + " apps ") + (count === 1 ? LOOKS[look].one : LOOKS[look].many));
  return parts.join(", ") + ".";
}

function show(id, text) {
  const node = document.getElementById(id);
  if (node.textContent !== text) node.textContent = text;
}

function draw() {
  const rank = (app) => TONES.indexOf(toneOf(app));
  const all = [...apps.values()].sort((a, b) => rank(a) - rank(b) || a.metadata.name.localeCompare(b.metadata.name));
  const words = headline(all);
  show("headline", words);
  show("asof", lastChange ? "live · last change " + lastChange.toLocaleTimeString() : "live");
  document.title = (all.length ? LOOKS[toneOf(all[0])].mark + " " : "") + words + " Syncline";
  document.getElementById("apps").replaceChildren(...all.map(section));
}

function keep(application) {
  apps.set(application.metadata.namespace + "/" + application.metadata.name, application);
  lastSeen = new Date();
}

function take(line) {
  const { type, application } = JSON.parse(line).result;
  keep(application);
  if (type === "DELETED") apps.delete(application.metadata.namespace + "/" + application.metadata.name);
  if (type !== "ADDED") lastChange = lastSeen;
}

// The stream is opened before the list is asked for, so that nothing is missed in between; it never says how many
// applications there are, and "none" must not be said before it is known.
async function listen() {
  const stream = await fetch("/api/v1/stream/applications");
  const list = await fetch("/api/v1/applications");
  if (!stream.ok || !list.ok) return;
  apps.clear();
  (await list.json()).items.forEach(keep);
  document.body.classList.remove("stale");
  draw();
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.forEach(take);
    draw();
  }
}

async function follow() {
  for (;;) {
    try { await listen(); } catch { /* the program ended or the network went away: say so and try again */ }
    document.body.classList.add("stale");
    show("asof", "no answer from Syncline" + (lastSeen ? "; this is how it was at " + lastSeen.toLocaleTimeString() : ""));
    await new Promise((wait) => setTimeout(wait, 1000));
  }
}

follow();
