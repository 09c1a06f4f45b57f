// How a state looks: one of five shapes, with the word that goes with it. Nobody looked is never OK.
import type { Row, Severity, WaveState } from "./types";

export type Look = "bad" | "dec" | "work" | "unk" | "ok";

export const WORDS: Record<Look, string> = {
  bad: "broken",
  dec: "needs a decision",
  work: "working",
  unk: "unknown",
  ok: "OK",
};

type State = Pick<Row, "sync" | "health" | "operation" | "causes">;

export function lookOf(row: State): Look {
  if (row.health === "Degraded") return "bad";
  if (row.operation === "Failed" || row.operation === "Error") return "bad";
  if (row.causes.length && (row.health !== "Healthy" || row.operation === "Running")) return "bad";
  if (row.operation === "Running" || row.operation === "Terminating" || row.health === "Progressing") return "work";
  if (row.health === "Missing") return "bad";
  if (!row.sync || row.sync === "Unknown" || !row.health || row.health === "Unknown") return "unk";
  if (row.sync === "OutOfSync" || row.health === "Suspended" || row.causes.length) return "dec";
  return "ok";
}

/** The word that stands for an app in lists of states: `Progressing, stuck` where a cause holds it up. */
export function stateOf(row: State): string {
  const look = lookOf(row);
  if (look === "ok") return "OK";
  if (!row.sync && !row.health) return "not checked yet";
  if (row.health === "Progressing") return look === "bad" ? "Progressing, stuck" : "Progressing";
  if (look === "work") return row.operation === "Terminating" ? "Terminating" : "Syncing";
  if (row.health && row.health !== "Healthy") return row.health;
  if (row.operation === "Running") return "Sync stuck";
  if (row.operation === "Failed" || row.operation === "Error") return "Sync failed";
  return row.sync || "Unknown";
}

export function needsYou(row: State): boolean {
  const look = lookOf(row);
  return look !== "ok" && look !== "work";
}

export function healthLook(status: string | undefined): Look {
  switch (status) {
    case "Healthy":
      return "ok";
    case "Degraded":
    case "Missing":
      return "bad";
    case "Progressing":
      return "work";
    case "Suspended":
      return "dec";
    case undefined:
    case "":
      return "ok";
    default:
      return "unk";
  }
}

/** How a finding looks. One for information, such as that nobody can tell, is never a tick. */
export function findingLook(severity: Severity | string | undefined): Look {
  return severity === "info" ? "unk" : severityLook(severity);
}

export function severityLook(severity: Severity | string | undefined): Look {
  return severity === "error" ? "bad" : severity === "warning" ? "dec" : "ok";
}

export function waveLook(state: WaveState): Look {
  return state === "done" ? "ok" : state === "running" ? "work" : state === "failed" ? "bad" : "unk";
}
