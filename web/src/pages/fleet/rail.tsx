// Filters with their counts. Each is a link; what is chosen is in the address.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Look, lookOf, needsYou, stateOf } from "../../lib/look";
import type { FleetCause, Row } from "../../lib/types";
import { type Where, withParams } from "../../lib/url";
import { count } from "../../lib/words";
import { Shape } from "../../ui/shape";
import { environmentOf, NO_ENVIRONMENT, tally } from "./arrange";

interface Props {
  rows: Row[];
  causes: FleetCause[];
  where: Where;
  status: string;
}

const ALWAYS: [string, Look][] = [
  ["Degraded", "bad"],
  ["Missing", "bad"],
  ["Progressing, stuck", "bad"],
  ["Sync stuck", "bad"],
  ["Sync failed", "bad"],
  ["OutOfSync", "dec"],
  ["Suspended", "dec"],
  ["Unknown", "unk"],
  ["Progressing", "work"],
  ["Syncing", "work"],
  ["OK", "ok"],
];
const KEPT = new Set(["Degraded", "Progressing", "OutOfSync", "Unknown", "OK"]);

export function Rail({ rows, causes, where, status }: Props) {
  const fold = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (fold.current && innerWidth <= 720) fold.current.open = false;
  }, []);
  const states = tally(rows, stateOf);
  const needing = rows.filter(needsYou);
  const shown = ALWAYS.filter(([name]) => KEPT.has(name) || states.get(name));
  for (const [name, n] of states)
    if (n && !ALWAYS.some(([known]) => known === name))
      shown.push([name, lookOf(rows.find((row) => stateOf(row) === name)!)]);
  return (
    <aside class="rail" aria-label="Filters">
      <details open ref={fold}>
        <summary>
          Filters:{" "}
          <b>{status === "need-you" ? `Need you ${count(needing.length)}` : status === "all" ? "all apps" : status}</b>
        </summary>
        <h2>Status</h2>
        <ul>
          <Choice
            where={where}
            name="status"
            value="need-you"
            on={status === "need-you"}
            n={needing.length}
            of={rows.length}
          >
            Need you
          </Choice>
          {shown.map(([name, look]) => (
            <Choice
              key={name}
              where={where}
              name="status"
              value={name}
              on={status === name}
              n={states.get(name) ?? 0}
              look={look}
            >
              {name}
            </Choice>
          ))}
          <Choice where={where} name="status" value="all" on={status === "all"} n={rows.length}>
            All apps
          </Choice>
        </ul>
        {causes.length > 0 && (
          <>
            <h2>Cause</h2>
            <ul>
              {causes.slice(0, 9).map((cause) => (
                <Choice
                  key={cause.id}
                  where={where}
                  name="cause"
                  value={cause.id}
                  n={cause.apps}
                  on={where.params.get("cause") === cause.id}
                >
                  #{cause.rank} {cause.name.replaceAll("-", " ")}
                </Choice>
              ))}
              {causes.length > 9 && (
                <li>
                  <a href="/causes">
                    <span class="lab">{causes.length - 9} more causes</span>
                  </a>
                </li>
              )}
            </ul>
          </>
        )}
        <By
          title="Environment"
          name="env"
          rows={rows}
          needing={needing}
          of={environmentOf}
          where={where}
          skip={NO_ENVIRONMENT}
        />
        <By title="Project" name="project" rows={rows} needing={needing} of={(row) => row.project} where={where} />
        <By title="Cluster" name="cluster" rows={rows} needing={needing} of={(row) => row.cluster} where={where} />
      </details>
    </aside>
  );
}

interface ByProps {
  title: string;
  name: string;
  rows: Row[];
  needing: Row[];
  of: (row: Row) => string;
  where: Where;
  skip?: string;
}

const MOST = 12;

function By({ title, name, rows, needing, of, where, skip }: ByProps) {
  const all = tally(rows, of);
  if (skip) all.delete(skip);
  const chosen = where.params.get(name);
  if (all.size < 2 && !chosen) return null;
  const bad = tally(needing, of);
  const order = [...all].sort((a, b) => (bad.get(b[0]) ?? 0) - (bad.get(a[0]) ?? 0) || a[0].localeCompare(b[0]));
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {order.slice(0, MOST).map(([value, n]) => (
          <Choice
            key={value}
            where={where}
            name={name}
            value={value}
            on={chosen === value}
            n={bad.get(value) ?? 0}
            of={n}
          >
            {value || "in-cluster"}
          </Choice>
        ))}
        {order.length > MOST && <li class="rest q">{order.length - MOST} more: type / to filter</li>}
      </ul>
    </>
  );
}

interface ChoiceProps {
  where: Where;
  name: string;
  value: string;
  on: boolean;
  n: number;
  of?: number;
  look?: Look;
  children: ComponentChildren;
}

function Choice({ where, name, value, on, n, of, look, children }: ChoiceProps) {
  const to = withParams({ [name]: on && name !== "status" ? null : value, sel: null }, where);
  return (
    <li>
      <a href={to} class={n ? "" : "zero"} aria-current={on ? "true" : undefined}>
        {look && <Shape look={look} />}
        <span class="lab">{children}</span>
        <span class="n">
          {count(n)}
          {of !== undefined && <span class="of"> / {count(of)}</span>}
        </span>
      </a>
    </li>
  );
}
