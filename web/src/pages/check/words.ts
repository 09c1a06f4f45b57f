// The sentences of a check: what the merge does, what to look at first, and all of it as a comment on a pull request.

import type { Checked, Effect, Preview } from "../../lib/types";
import { plural } from "../../lib/words";
import { appText, placeText } from "./names";

export const KINDS: [string, string, "bad" | "dec" | "work" | "ok"][] = [
  ["danger", "DANGER", "bad"],
  ["denied", "DENIED", "bad"],
  ["endpoints", "NO PODS", "bad"],
  ["drift", "DRIFT", "dec"],
  ["restart", "RESTART", "dec"],
  ["hooks", "HOOKS", "dec"],
  ["window", "WINDOW", "work"],
  ["note", "NOTE", "ok"],
];

function notRendered(found: Preview): number {
  return found.unknown.length + found.apps.filter((one) => one.unknown).length;
}

/** `This change touches 3 apps. Look at 1 danger and 2 new errors before you merge.` */
export function verdict(found: Preview): string {
  if (!found.apps.length) {
    const rest = notRendered(found);
    return `This change does not change any app${rest ? `, as far as ${rest} unknown ones tell` : ""}.`;
  }
  const dangers = found.effects.filter((one) => one.kind === "danger").length;
  const errors = found.new.filter((one) => one.severity === "error").length;
  const look = [dangers && plural(dangers, "danger"), errors && plural(errors, "new error")].filter(Boolean);
  const touched = `This change touches ${plural(found.apps.length, "app")}.`;
  return look.length ? `${touched} Look at ${look.join(" and ")} before you merge.` : touched;
}

/** `200 apps: 36 change, 1 new, 0 deleted` and what became of the rest. */
export function tally(found: Preview): string[] {
  const of = (action: string) => found.apps.filter((one) => one.action === action).length;
  const parts = [`${of("changed")} change`, `${of("created")} new`, `${of("deleted")} deleted`];
  for (const action of ["moved", "renamed"]) if (of(action)) parts.push(`${of(action)} ${action}`);
  if (notRendered(found)) parts.push(`${notRendered(found)} unknown`);
  return parts;
}

/** Consequences that read the same for several apps are told once. */
export function joined(effects: Effect[]): Effect[] {
  const found = new Map<string, Effect>();
  for (const one of effects) {
    const same = found.get(one.text);
    if (same) same.apps = [...new Set([...(same.apps ?? []), ...(one.apps ?? [])])];
    else found.set(one.text, { ...one });
  }
  return [...found.values()];
}

/** The check as Markdown, to be pasted into a pull request. */
export function comment(checked: Checked, found: Preview): string {
  const lines = [`**${verdict(found)}**`, ""];
  lines.push(`${plural(found.total, "app")}: ${tally(found).join(", ")}, ${found.equal} proven equal.`, "");
  for (const [kind, label] of KINDS)
    for (const one of joined(found.effects.filter((effect) => effect.kind === kind)))
      lines.push(`- ${label}: ${one.text}${one.place ? ` (\`${placeText(one.place)}\`)` : ""}`);
  for (const one of found.new) lines.push(`- ${one.severity} ${one.code} ${one.name}: ${one.message}`);
  for (const one of found.apps) lines.push(`- ${appText(one.name)}: ${one.action}`);
  lines.push("", `Compared ${checked.base.slice(0, 7)} with ${checked.head.slice(0, 7)} by Syncline.`);
  return lines.join("\n");
}
