// One row per cause: how many apps, what it is, how it spreads, where, since when, and the size of its fix.
import { severityLook } from "../../lib/look";
import type { FleetCause, Row } from "../../lib/types";
import { count, pluralKind, since } from "../../lib/words";
import { Told } from "../../ui/object";
import { Shape } from "../../ui/shape";
import { environmentOf, groupOrder, NO_ENVIRONMENT, tally } from "./arrange";

const SHOWN = 6;

export function Causes({ causes, rows, now, all }: { causes: FleetCause[]; rows: Row[]; now: number; all?: boolean }) {
  const shown = all ? causes : causes.slice(0, causes.length > SHOWN + 1 ? SHOWN : SHOWN + 1);
  const rest = causes.slice(shown.length);
  return (
    <ol class="causes">
      <li class="cause hd" aria-hidden="true">
        <span />
        <span />
        <span class="r">apps</span>
        <span>cause</span>
        <span class="wr">where</span>
        <span class="r">since</span>
        <span>fix</span>
        <span />
      </li>
      {shown.map((cause) => (
        <CauseRow key={cause.id} cause={cause} rows={rows} now={now} />
      ))}
      {rest.length > 0 && (
        <li class="more">
          {rest.length} more causes, of {count(rest.reduce((sum, cause) => sum + cause.apps, 0))} apps{" "}
          <a href="/causes">Show all {causes.length}</a>
        </li>
      )}
    </ol>
  );
}

function CauseRow({ cause, rows, now }: { cause: FleetCause; rows: Row[]; now: number }) {
  const to = `/causes/${encodeURIComponent(cause.id)}`;
  const decide = !cause.files && !cause.command;
  return (
    <li class="cause">
      <span class="id ref">#{cause.rank}</span>
      <Shape look={severityLook(cause.severity)} />
      <span class="n">{count(cause.apps)}</span>
      <span class="say-w">
        <a class="say" href={to} title={cause.title}>
          <Told text={cause.title} />
        </a>
        <span class="how" title={spread(cause)}>
          {spread(cause)}
        </span>
      </span>
      <span class="wr q">{places(cause, rows)}</span>
      <span class="si q r">{since(cause.since, now)}</span>
      <span class="sz q2" title={cause.fix || cause.command}>
        {size(cause)}
      </span>
      <span class="acts">
        <a class="btn sm" href={to} aria-label={`Why cause ${cause.rank}`}>
          Why
        </a>
        <a class="btn sm" href={`${to}?show=fix`} aria-label={`${decide ? "Decide" : "Fix"} cause ${cause.rank}`}>
          {decide ? "Decide" : "Fix"}
        </a>
      </span>
    </li>
  );
}

/** `1 ClusterSecretStore → 63 ExternalSecrets → … → 67 apps`. */
export function spread(cause: FleetCause): string {
  const pods = cause.chain.some((step) => /^[\d,]+ Pods?\b/.test(step));
  const steps = cause.chain
    .filter((step) => !/^[\d,]+ Applications?\b/.test(step) && !(pods && BESIDE_PODS.test(step)))
    .map(inShort);
  return [beginning(cause), ...steps, `${count(cause.apps)} ${cause.apps === 1 ? "app" : "apps"}`]
    .filter(Boolean)
    .join(" → ");
}

/** What owns pods or stands before them is as many lines more and says the same. */
const BESIDE_PODS = /^[\d,]+ (Deployment|ReplicaSet|StatefulSet|DaemonSet|Service)s?\b/;

/** What the sentence above already names is only counted. */
function beginning(cause: FleetCause): string {
  const [, kind, name] = /^([A-Z]\w+)[/ ](\S+)/.exec(cause.thing) ?? [];
  return kind && name && cause.title.includes(name) ? `1 ${kind}` : cause.thing;
}

/** `63 ExternalSecret SecretSyncedError` is told as `63 ExternalSecrets`; that something is absent is always said. */
function inShort(step: string): string {
  const [, n, kind, state] = /^(\d+) (\S+) ?(.*)$/.exec(step) ?? [];
  if (!n || !kind) return step;
  const name = Number(n) > 1 && !kind.endsWith("s") ? pluralKind(kind) : kind;
  return `${count(Number(n))} ${name}${state === "absent" ? " absent" : ""}`;
}

export function size(cause: FleetCause): string {
  if (cause.files) return cause.files === 1 ? "1 file" : `${cause.files} files`;
  return cause.command ? "1 command" : "1 decision";
}

function places(cause: FleetCause, rows: Row[]): string {
  const hit = rows.filter((row) => row.causes.includes(cause.id));
  const found = tally(hit, environmentOf);
  found.delete(NO_ENVIRONMENT);
  if (!found.size) {
    const spaces = tally(hit, (row) => row.destinationNamespace || row.cluster);
    return [...spaces]
      .slice(0, 3)
      .map(([name, n]) => (spaces.size === 1 ? name : `${name} ${n}`))
      .join(", ");
  }
  return [...found]
    .sort((a, b) => groupOrder(a[0], b[0]))
    .map(([name, n]) => (found.size === 1 ? name : `${name} ${n}`))
    .join(", ");
}
