// The first screen: what is wrong, why, in which order to repair it; and when nothing is, that nothing is.
import { useRef } from "preact/hooks";
import { type FleetState, fleet, isStale, useFleet } from "../../lib/fleet";
import { useKeys } from "../../lib/keys";
import { lookOf, needsYou, stateOf } from "../../lib/look";
import type { Row } from "../../lib/types";
import { go, useWhere, type Where, withParams } from "../../lib/url";
import { useNow, useRead, useTitle } from "../../lib/use";
import { clock, count, lastSeen, plural } from "../../lib/words";
import { Failed, Reading } from "../../ui/note";
import { Seg } from "../../ui/seg";
import { DemoPanel } from "../demo/panel";
import { type Asked, type GroupBy, matches, tally, usualGroup } from "./arrange";
import { Causes } from "./causes";
import { AppList } from "./list";
import { Quiet } from "./quiet";
import { Rail } from "./rail";
import { Stairs } from "./stairs";

export function FleetPage() {
  const state = useFleet();
  const where = useWhere();
  const now = useNow(5000);
  const rows = [...state.rows.values()];
  const headline = headlineOf(state, rows);
  useTitle(headline.replace(/\.$/, ""));
  if (!state.head) {
    return (
      <div class="page full">
        <main id="main">
          <h1>Fleet</h1>
          {state.failure ? (
            <Failed failure={state.failure} what="The fleet" again={() => fleet.retry()} />
          ) : (
            <Reading what="all Applications" rows={8} />
          )}
        </main>
      </div>
    );
  }
  if (!state.head.total) return <Empty />;
  const asked = askedOf(where, rows);
  return (
    <div class="page">
      <Rail rows={rows} causes={state.head.causes} where={where} status={asked.status} />
      <main id="main">
        <section>
          <h1>{isStale(state, now) ? lastSeen(headline) : headline}</h1>
          <Facts state={state} rows={rows} />
          {state.head.causes.length > 0 && <Causes causes={state.head.causes} rows={rows} now={now} />}
        </section>
        <DemoPanel />
        <Stairs
          good={state.head.good}
          total={state.head.total}
          repairs={state.head.repairs}
          causes={state.head.causes}
        />
        {!rows.some((row) => lookOf(row) !== "ok") && <Quiet />}
        <Apps state={state} rows={rows} asked={asked} where={where} now={now} />
      </main>
    </div>
  );
}

/** `117 of 200 apps need you. 5 causes.` */
export function headlineOf(state: Pick<FleetState, "head" | "complete">, rows: Row[]): string {
  const head = state.head;
  if (!head) return "Fleet";
  if (!head.total) return "No Application in this cluster yet.";
  if (!state.complete)
    return `${count(head.total - head.good)} of ${plural(head.total, "app")} are not Synced and Healthy.`;
  const total = rows.length;
  const needing = rows.filter(needsYou).length;
  const working = rows.filter((row) => lookOf(row) === "work").length;
  if (needing) {
    const causes = head.causes.length ? ` ${plural(head.causes.length, "cause")}.` : "";
    return `${count(needing)} of ${plural(total, "app")} ${needing === 1 ? "needs" : "need"} you.${causes}`;
  }
  if (working)
    return `${count(working)} of ${plural(total, "app")} ${working === 1 ? "is on its way" : "are on their way"}.`;
  return total === 1 ? "The only app is Synced and Healthy." : `All ${count(total)} apps are Synced and Healthy.`;
}

function Facts({ state, rows }: { state: FleetState; rows: Row[] }) {
  const head = state.head!;
  const states = [...tally(rows, stateOf)].filter(([name]) => name !== "OK").sort((a, b) => b[1] - a[1]);
  const found = head.diagnosis;
  return (
    <p class="facts">
      {states.map(([name, n]) => (
        <span key={name}>
          {count(n)} {name}
        </span>
      ))}
      {!states.length && <span>every app checked</span>}
      {found.state === "ready" && (
        <span class="q">
          reasoned at {clock(found.asOf)} in {found.seconds.toFixed(1)} s
        </span>
      )}
      {(found.late ?? 0) > 0 && (
        <span>
          {plural(found.late!, "app")} not rendered in time: one cause may show as several, until it is looked at again
        </span>
      )}
      {found.state === "running" && <span class="q">reasoning about causes</span>}
      {found.message && (
        <span>
          causes could not be told{found.state === "ready" && " again"}: “{found.message}”
        </span>
      )}
      <span class="q">Secrets not read</span>
    </p>
  );
}

function askedOf(where: Where, rows: Row[]): Asked {
  const of = (name: string) => where.params.get(name) ?? "";
  const usual = rows.some(needsYou) ? "need-you" : "all";
  return {
    status: of("status") || (of("q") || of("cause") ? "all" : usual),
    cause: of("cause"),
    environment: of("env"),
    project: of("project"),
    cluster: of("cluster"),
    set: of("set"),
    search: of("q"),
    group: (of("group") as GroupBy) || usualGroup(rows),
  };
}

const GROUPS: [string, string][] = [
  ["none", "none"],
  ["cause", "cause"],
  ["environment", "environment"],
  ["project", "project"],
  ["set", "ApplicationSet"],
  ["cluster", "cluster"],
];

interface AppsProps {
  state: FleetState;
  rows: Row[];
  asked: Asked;
  where: Where;
  now: number;
}

function Apps({ state, rows, asked, where, now }: AppsProps) {
  const input = useRef<HTMLInputElement>(null);
  const only = (n: number) => () => {
    const cause = state.head!.causes.find((one) => one.rank === n);
    if (cause) go(withParams({ cause: where.params.get("cause") === cause.id ? null : cause.id, sel: null }));
  };
  useKeys({
    "/": () => input.current?.focus(),
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), only(n)])),
  });
  const shown = rows.filter((row) => matches(row, asked)).length;
  const good = rows.filter((row) => lookOf(row) === "ok").length;
  return (
    <section>
      <div class="sh-row">
        <h2>Apps</h2>
        <span class="q">
          {asked.status === "need-you" ? `${count(shown)} that need you` : `${count(shown)} of ${count(rows.length)}`}
        </span>
        <span class="end">
          <input
            ref={input}
            class="field"
            type="search"
            placeholder="Filter /"
            aria-label="Filter apps"
            value={asked.search}
            onInput={(event) => go(withParams({ q: event.currentTarget.value, sel: null }), { replace: true })}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
          <span class="q hide-s">Group by</span>
          <Seg name="group" value={asked.group} where={where} options={GROUPS} />
        </span>
      </div>
      {shown ? (
        <AppList
          rows={state.rows}
          turn={state.turn}
          causes={state.head!.causes}
          asked={asked}
          where={where}
          stale={isStale(state, now)}
          now={now}
        />
      ) : (
        <NothingFound asked={asked} rows={rows} where={where} />
      )}
      {asked.status === "need-you" && good > 0 && (
        <div class="more">
          {plural(good, "app")} {good === 1 ? "is" : "are"} OK <a href={withParams({ status: "OK" }, where)}>Show</a>
        </div>
      )}
    </section>
  );
}

/** Says what was asked, and which filter to drop for how many. */
function NothingFound({ asked, rows, where }: { asked: Asked; rows: Row[]; where: Where }) {
  const filters: [string, string, Partial<Asked>, string][] = [
    ["status", asked.status, { status: "all" }, "all"],
    ["cause", asked.cause && "this cause", { cause: "" }, ""],
    ["env", asked.environment, { environment: "" }, ""],
    ["project", asked.project, { project: "" }, ""],
    ["cluster", asked.cluster, { cluster: "" }, ""],
    ["q", asked.search, { search: "" }, ""],
  ];
  const used = filters.filter(([, value]) => value && value !== "all");
  return (
    <p class="none">
      <b>
        No app of {count(rows.length)} matches{" "}
        {used.map(([, value]) => `“${value === "need-you" ? "Need you" : value}”`).join(" and ")}.
      </b>{" "}
      {used.map(([name, value, without, to]) => (
        <a key={name} class="l" href={withParams({ [name]: to || null }, where)}>
          Drop “{value === "need-you" ? "Need you" : value}”:{" "}
          {count(rows.filter((row) => matches(row, { ...asked, ...without })).length)}
        </a>
      ))}{" "}
      <a class="l" href="/fleet?status=all">
        Clear all
      </a>
    </p>
  );
}

/** The right to see every app: without it, that none is shown does not mean that none is there. */
const ALL = "/api/v1/account/can-i/applications/get/*%2F*";

function Empty() {
  const may = useRead<{ value: string }>(ALL, 10_000);
  if (may.data?.value === "no")
    return (
      <div class="page full">
        <main id="main">
          <h1>No Application that you may see.</h1>
          <p class="q2 gap">
            To see one takes <span class="m">applications, get, PROJECT/NAME</span> in argocd-rbac-cm, or a role of its
            project.
          </p>
        </main>
      </div>
    );
  return (
    <div class="page full">
      <main id="main">
        <h1>No Application in this cluster yet.</h1>
        <p class="q2 gap">
          Look around first: <span class="m">syncline demo</span>. Bring your repository:{" "}
          <span class="m">syncline app create -f root.yaml</span>. Argo CD runs here:{" "}
          <span class="m">syncline diagnose</span> reads and never writes.
        </p>
      </main>
    </div>
  );
}
