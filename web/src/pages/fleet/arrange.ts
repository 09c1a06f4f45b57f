// Which rows are shown, in which groups and order: all from the address and the rows, so that a link shows the same.
import { type Look, lookOf, needsYou, stateOf } from "../../lib/look";
import type { FleetCause, Row } from "../../lib/types";

export type GroupBy = "cause" | "environment" | "project" | "set" | "cluster" | "none";

export interface Asked {
  status: string;
  cause: string;
  environment: string;
  project: string;
  cluster: string;
  set: string;
  search: string;
  group: GroupBy;
}

export interface Group {
  name: string;
  keys: string[];
}

const ENVIRONMENTS: [string, RegExp][] = [
  ["dev", /(^|[-_./])(dev|development)($|[-_./])/],
  ["test", /(^|[-_./])(test|qa|uat)($|[-_./])/],
  ["staging", /(^|[-_./])(staging|stage|stg|preprod)($|[-_./])/],
  ["production", /(^|[-_./])(production|prod|prd|live)($|[-_./])/],
];
export const NO_ENVIRONMENT = "no environment";

/** The environment that an app's name, namespace, ApplicationSet or cluster tells of. */
export function environmentOf(row: Row): string {
  for (const text of [row.destinationNamespace, row.name, row.set, row.cluster])
    for (const [name, pattern] of ENVIRONMENTS) if (pattern.test(text)) return name;
  return NO_ENVIRONMENT;
}

const ORDER: Look[] = ["bad", "dec", "unk", "work", "ok"];

export function matches(row: Row, asked: Asked): boolean {
  if (
    asked.status === "need-you"
      ? !needsYou(row)
      : asked.status && asked.status !== "all" && stateOf(row) !== asked.status
  )
    return false;
  if (asked.cause && !row.causes.includes(asked.cause)) return false;
  if (asked.project && row.project !== asked.project) return false;
  if (asked.cluster && row.cluster !== asked.cluster) return false;
  if (asked.set && row.set !== asked.set) return false;
  if (asked.environment && environmentOf(row) !== asked.environment) return false;
  if (!asked.search) return true;
  const word = asked.search.toLowerCase();
  return [row.name, row.sentence, row.project, row.destinationNamespace].some((text) =>
    text.toLowerCase().includes(word),
  );
}

function groupsOf(row: Row, by: GroupBy, ranks: ReadonlyMap<string, number>): string {
  switch (by) {
    case "environment":
      return environmentOf(row);
    case "project":
      return row.project || "default";
    case "set":
      return row.set || "no ApplicationSet";
    case "cluster":
      return row.cluster || "in-cluster";
    case "cause": {
      const first = firstCause(row, ranks);
      return first ? `#${ranks.get(first)}` : "no known cause";
    }
    default:
      return "";
  }
}

export function firstCause(row: Row, ranks: ReadonlyMap<string, number>): string | undefined {
  return [...row.causes].sort((a, b) => (ranks.get(a) ?? 999) - (ranks.get(b) ?? 999))[0];
}

export function ranksOf(causes: FleetCause[]): Map<string, number> {
  return new Map(causes.map((cause) => [cause.id, cause.rank]));
}

export function arranged(rows: Iterable<Row>, asked: Asked, ranks: ReadonlyMap<string, number>): Group[] {
  const found: { group: string; rank: number; look: number; name: string; key: string }[] = [];
  for (const row of rows) {
    if (!matches(row, asked)) continue;
    const cause = firstCause(row, ranks);
    found.push({
      group: groupsOf(row, asked.group, ranks),
      rank: cause ? (ranks.get(cause) ?? 999) : 1000,
      look: ORDER.indexOf(lookOf(row)),
      name: row.name,
      key: `${row.namespace}/${row.name}`,
    });
  }
  found.sort((a, b) => a.look - b.look || a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const groups = new Map<string, string[]>();
  for (const one of found) {
    const keys = groups.get(one.group);
    if (keys) keys.push(one.key);
    else groups.set(one.group, [one.key]);
  }
  return [...groups].map(([name, keys]) => ({ name, keys })).sort((a, b) => groupOrder(a.name, b.name));
}

/** How many apps each group has, whether or not they are shown. */
export function sizes(rows: Iterable<Row>, by: GroupBy, ranks: ReadonlyMap<string, number>): Map<string, number> {
  return tally(rows, (row) => groupsOf(row, by, ranks));
}

const LAST = [NO_ENVIRONMENT, "no ApplicationSet", "no known cause"];

export function groupOrder(a: string, b: string): number {
  const known = (name: string) => ENVIRONMENTS.findIndex(([one]) => one === name);
  if (LAST.includes(a) !== LAST.includes(b)) return LAST.includes(a) ? 1 : -1;
  if (known(a) >= 0 && known(b) >= 0) return known(a) - known(b);
  return a.localeCompare(b, "en", { numeric: true });
}

/** How to group when nobody chose: by what divides this fleet best. */
export function usualGroup(rows: Iterable<Row>): GroupBy {
  const environments = new Set<string>();
  const projects = new Set<string>();
  let n = 0;
  for (const row of rows) {
    n++;
    environments.add(environmentOf(row));
    projects.add(row.project);
  }
  if (n < 12) return "none";
  if ([...environments].filter((one) => one !== NO_ENVIRONMENT).length > 1) return "environment";
  return projects.size > 1 ? "project" : "none";
}

export function tally<T>(rows: Iterable<T>, of: (row: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const name = of(row);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** What changed between the list on the screen and the list as it would be now. */
export function pending(shown: Group[], now: Group[]): { added: number; gone: number; moved: number } {
  const before = new Map(shown.flatMap((group) => group.keys.map((key) => [key, group.name] as const)));
  let [added, moved, kept] = [0, 0, 0];
  for (const group of now)
    for (const key of group.keys) {
      const was = before.get(key);
      if (was === undefined) added++;
      else {
        kept++;
        if (was !== group.name) moved++;
      }
    }
  return { added, gone: before.size - kept, moved };
}
