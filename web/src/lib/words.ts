// Numbers, times and names as the page says them. One format each.
import type { ObjectRef, Thing } from "./types";

export function count(n: number): string {
  return n.toLocaleString("en-GB");
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** `2d 4h`, `42 min`, `21 s`: how long something lasts, at most two units. */
export function lasting(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours}h ${minutes % 60}m` : `${hours}h`;
  const days = Math.floor(hours / 24);
  return hours % 24 && days < 7 ? `${days}d ${hours % 24}h` : `${days}d`;
}

export function since(time: string | undefined, now: number = Date.now()): string {
  const at = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? "" : lasting((now - at) / 1000);
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function clock(time: string | number | undefined): string {
  const at = typeof time === "string" ? Date.parse(time) : time;
  return at === undefined || Number.isNaN(at) ? "" : CLOCK.format(at);
}

/** `2 Dec 10:24:11`: a time as evidence. */
export function moment(time: string | undefined): string {
  const at = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? "" : `${DATE.format(at)} ${CLOCK.format(at)}`;
}

export function shortRevision(revision: string | undefined): string {
  return revision && /^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 7) : (revision ?? "");
}

export function refText(ref: ObjectRef): string {
  return ref.namespace ? `${ref.kind}/${ref.namespace}/${ref.name}` : `${ref.kind}/${ref.name}`;
}

/** The key as the server writes it: `group/Kind:namespace/name`. */
export function refKey(ref: ObjectRef): string {
  return `${ref.group ? `${ref.group}/` : ""}${ref.kind}:${ref.namespace ?? ""}/${ref.name}`;
}

export function thingText(thing: Thing): string {
  return thing.key ? refText(thing.key) : `${thing.outside ?? ""} ${thing.name ?? ""}`.trim();
}

/** `63 ExternalSecrets`, `1 Pod`, `27 policies`. */
export function kinds(n: number, kind: string): string {
  return `${count(n)} ${n === 1 ? kind : pluralKind(kind)}`;
}

export function pluralKind(kind: string): string {
  if (/(s|x|ch|sh)$/.test(kind)) return `${kind}es`;
  if (/[^aeiou]y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  return `${kind}s`;
}

export function value(of: unknown): string {
  if (of === null || of === undefined) return "not set";
  return typeof of === "string" && of !== "" ? of : JSON.stringify(of);
}

/** A sentence that nobody can vouch for any longer. */
export function lastSeen(sentence: string): string {
  return `When last seen: ${sentence}`;
}
