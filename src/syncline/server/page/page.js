"use strict";
// Follows /api/v1/stream/applications and draws one section per Application. All text goes in as text nodes.
const apps = new Map();
let lastSeen = null;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Colour is meaning and never stands without a shape.
function look(sync, health, phase) {
  if (health === "Degraded" || health === "Missing" || phase === "Failed" || phase === "Error") return ["✖", "broken"];
  if (phase === "Running" || health === "Progressing") return ["◔", "working"];
  if (sync === "Unknown" || health === "Unknown" || !sync) return ["○", "unknown"];
  if (sync === "OutOfSync" || health === "Suspended") return ["◆", "decide"];
  return ["✔", ""];
}

function sentence(app) {
  const status = app.status || {};
  const errors = (status.conditions || []).map((condition) => condition.message);
  if (errors.length) return errors.join(" · ");
  const state = status.operationState || {};
  if (state.phase && state.phase !== "Succeeded") return state.phase + ": " + (state.message || "");
  const bad = (status.resources || []).filter((row) => row.health && row.health.status !== "Healthy" && row.health.message);
  if (bad.length) return bad.map((row) => row.kind + "/" + row.name + ": " + row.health.message).join(" · ");
  return (status.health || {}).message || "";
}

function row(resource) {
  const health = (resource.health || {}).status || "";
  const [mark, tone] = look(resource.status || "Synced", health || "Healthy", "");
  const line = element("tr", tone);
  line.append(element("td", "mark", mark), element("td", "kind", resource.kind), element("td", "name", resource.name));
  const words = [resource.status, health, (resource.health || {}).message].filter(Boolean).join(", ");
  line.append(element("td", "", words));
  return line;
}

function section(app) {
  const status = app.status || {};
  const sync = (status.sync || {}).status, health = (status.health || {}).status;
  const [mark, tone] = look(sync, health, (status.operationState || {}).phase);
  const revision = ((status.sync || {}).revision || "").slice(0, 7);
  const box = element("section");
  const title = [mark, app.metadata.name, "·", sync || "not looked at yet", health || "", revision ? "· " + revision : ""];
  box.append(element("h2", tone, title.filter(Boolean).join(" ")));
  box.append(element("p", "sentence " + tone, sentence(app)));
  const table = element("table");
  for (const resource of status.resources || []) if (!resource.hook) table.append(row(resource));
  box.append(table);
  return box;
}

function draw() {
  const all = [...apps.values()].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  const good = all.filter((app) => {
    const status = app.status || {};
    return (status.sync || {}).status === "Synced" && (status.health || {}).status === "Healthy";
  });
  const need = all.length - good.length;
  const headline = !all.length ? "No applications yet." :
    need ? need + " of " + all.length + " apps need you or are on their way." : "All " + all.length + " apps are Synced and Healthy.";
  document.getElementById("headline").textContent = headline;
  document.getElementById("asof").textContent = lastSeen ? "as of " + lastSeen.toLocaleTimeString() : "";
  document.getElementById("apps").replaceChildren(...all.map(section));
}

async function follow() {
  for (;;) {
    try {
      const answer = await fetch("/api/v1/stream/applications");
      document.body.classList.remove("stale");
      apps.clear();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          const { type, application } = JSON.parse(line).result;
          const key = application.metadata.namespace + "/" + application.metadata.name;
          if (type === "DELETED") apps.delete(key); else apps.set(key, application);
        }
        lastSeen = new Date();
        draw();
      }
    } catch { /* the program ended or the network went away: say so and try again */ }
    document.body.classList.add("stale");
    await new Promise((wait) => setTimeout(wait, 1000));
  }
}

follow();
