// One app: its sentence, its tabs, and what one can do. Every write goes through the plan first.
import { lazy, Suspense } from "preact/compat";
import { useEffect, useRef, useState } from "preact/hooks";
import { appPath, Failure, get } from "../../lib/api";
import { causeById, type FleetState, isStale, useFleet } from "../../lib/fleet";
import { useKeys } from "../../lib/keys";
import { lookOf, stateOf, WORDS } from "../../lib/look";
import { rightText, useMay } from "../../lib/rights";
import type { Application, Cause, Explanation, Row, Tree } from "../../lib/types";
import { appLink, go, useWhere, withParams } from "../../lib/url";
import { useNow, useRead, useTitle } from "../../lib/use";
import { clock, lastSeen, shortRevision, since } from "../../lib/words";
import { CopyButton, copy } from "../../ui/copy";
import { exactPatch, fixText } from "../../ui/fix";
import { Note, Reading } from "../../ui/note";
import { Shape } from "../../ui/shape";
import { NotShown, useApplication } from "./followed";
import { rowOf } from "./row";
import { shared, Why } from "./why";

const Diff = lazy(() => import("./diff").then((found) => found.Diff));
const WavesTab = lazy(() => import("./waves").then((found) => found.WavesTab));
const TimelineTab = lazy(() => import("./timeline").then((found) => found.TimelineTab));
const Logs = lazy(() => import("./logs").then((found) => found.Logs));
const Events = lazy(() => import("./events").then((found) => found.Events));
const Manifest = lazy(() => import("./manifest").then((found) => found.Manifest));
const History = lazy(() => import("./history").then((found) => found.History));
const SyncDialog = lazy(() => import("./sync").then((found) => found.SyncDialog));

const TABS: [string, string, string][] = [
  ["why", "Why", "w"],
  ["diff", "Diff", "d"],
  ["waves", "Waves", "v"],
  ["timeline", "Timeline", "e"],
  ["logs", "Logs", "o"],
  ["events", "Events", ""],
  ["manifest", "Manifest", "b"],
  ["history", "History", ""],
];

const SETTLE = 800;

export function AppPage({ name, tab }: { name: string; tab: string }) {
  const where = useWhere();
  const namespace = where.params.get("ns") ?? undefined;
  const app = { name, ...(namespace ? { namespace } : {}) };
  const now = useNow(5000);
  const fleet = useFleet();
  const { shown, listed, read, take } = useApplication(app, fleet);
  const row = listed ?? (shown && rowOf(shown));
  const version = useSettled(shown, listed && causesOf(fleet, listed), SETTLE);
  const maySync = useMay("sync", row);
  const why = useRead<Explanation>(version === undefined ? null : appPath(app, "why"));
  // What Kubernetes makes of an app's objects, such as pods, changes without a change of the app.
  const tree = useRead<Tree>(version === undefined ? null : appPath(app, "resource-tree"), 5000);
  // Causes are told by the last diagnosis: an app that is well since then has none.
  const causeId = row && lookOf(row) === "ok" ? undefined : (why.data?.causes?.[0]?.id ?? row?.causes[0]);
  const cause = useRead<Cause>(causeId ? `/api/v1/syncline/causes/${encodeURIComponent(causeId)}` : null, 10_000);
  // a settled change is a reason to look again
  useEffect(() => {
    if (version && version > 1) {
      why.again();
      tree.again();
    }
  }, [version]);
  useTitle(name);
  const fix = fixText(
    cause.data?.finding.fix ?? why.data?.findings.find((one) => one.fix)?.fix,
    exactPatch(cause.data),
  );
  const [asked, ask] = useState("");
  const refresh = async () => {
    ask(`refresh asked ${clock(Date.now())}`);
    try {
      take(await get<Application>(appPath(app, "", { refresh: "normal" })));
      ask(`refreshed ${clock(Date.now())}`);
    } catch (error) {
      ask(`not refreshed: “${error instanceof Failure ? error.message : String(error)}”`);
    }
  };
  const link = (to: string) => appLink(app, to);
  useKeys({
    ...Object.fromEntries(TABS.filter(([, , key]) => key).map(([to, , key]) => [key, () => go(link(to))])),
    ...(maySync ? { s: () => go(withParams({ show: "sync" })) } : {}),
    r: () => void refresh(),
    c: () => {
      if (fix) void copy(fix).then((done) => ask(done ? "fix copied" : "fix not copied: the browser refused"));
    },
  });
  const close = () => go(withParams({ show: null, prune: null, rollback: null }), { replace: true });

  if (!shown || !row)
    return (
      <div class="page full">
        <main id="main">
          <Crumb name={name} />
          <h1 class="app">{name}</h1>
          <NotShown name={name} read={read} />
        </main>
      </div>
    );
  const stale = isStale(fleet, now);
  const props = { app: shown, name: app, where };
  return (
    <div class="page full">
      <main id="main">
        <Crumb name={name} set={row.set} />
        <div class="lead">
          <div>
            <h1 class="app">{stale ? lastSeen(headline(row, why.data, now)) : headline(row, why.data, now)}</h1>
            <Facts
              row={row}
              stale={stale}
              app={shown}
              cause={cause.data}
              rank={causeId ? causeById(fleet, causeId)?.rank : undefined}
              asked={asked}
              maySync={maySync}
            />
          </div>
          <div class="acts">
            {fix && <CopyButton main text={fix} label="Copy fix" />}
            {maySync && (
              <a class="btn" href={withParams({ show: "sync" }, where)}>
                {row.operation === "Running" ? "Stop sync…" : "Sync…"} <kbd>s</kbd>
              </a>
            )}
          </div>
        </div>
        <Verdict row={row} cause={cause.data} tree={tree.data} />
        <nav class="tabs" aria-label="App">
          {TABS.map(([to, label]) => (
            <a key={to} href={link(to)} aria-current={tab === to ? "page" : undefined}>
              {label}
              <TabCount tab={to} app={shown} />
            </a>
          ))}
        </nav>
        <Suspense fallback={<Reading what="the tab" />}>
          {tab === "why" && (
            <Why
              app={shown}
              why={why.data}
              whyFailure={why.failure}
              tree={tree.data}
              cause={cause.data}
              where={where}
            />
          )}
          {tab === "diff" && <Diff {...props} version={version ?? 0} />}
          {tab === "waves" && <WavesTab {...props} cause={cause.data} why={why.data} tree={tree.data} />}
          {tab === "timeline" && <TimelineTab {...props} version={version ?? 0} />}
          {tab === "logs" && <Logs {...props} tree={tree.data} />}
          {tab === "events" && <Events {...props} tree={tree.data} />}
          {tab === "manifest" && <Manifest {...props} version={version ?? 0} />}
          {tab === "history" && <History {...props} maySync={maySync === true} />}
        </Suspense>
        {where.params.get("show") === "sync" && maySync && (
          <Suspense fallback={null}>
            <SyncDialog app={shown} name={app} where={where} close={close} />
          </Suspense>
        )}
      </main>
    </div>
  );
}

/** What the diagnosis says of a row, to notice when that changes. */
function causesOf(fleet: FleetState, row: Row): string {
  return JSON.stringify(row.causes.map((id) => [id, causeById(fleet, id)?.title]));
}

/** Counts up when an app, or what is said of it, has changed and has then stayed the same for a moment. */
function useSettled(app: Application | undefined, said: string | undefined, pause: number): number | undefined {
  const [turn, next] = useState<number>();
  const mark = useRef("");
  const signature =
    app &&
    JSON.stringify([
      app.status?.sync,
      app.status?.health,
      app.status?.operationState?.phase,
      app.status?.resources,
      app.status?.conditions,
      app.spec,
      said,
    ]);
  useEffect(() => {
    if (!signature || mark.current === signature) return;
    const first = !mark.current;
    mark.current = signature;
    if (first) next(1);
    else {
      const timer = setTimeout(() => next((n) => (n ?? 0) + 1), pause);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [signature, pause]);
  return turn;
}

function Crumb({ name, set }: { name: string; set?: string }) {
  return (
    <nav class="crumb" aria-label="Where">
      <span>
        <a href="/fleet">Fleet</a>
      </span>
      <span>/</span>
      {set && (
        <>
          <span>
            <a href={`/fleet?status=all&set=${encodeURIComponent(set)}`}>{set}</a>
          </span>
          <span>/</span>
        </>
      )}
      <span>
        <b>{name}</b>
      </span>
    </nav>
  );
}

/** `{App} is {state} since {t}: {what it waits for, why}.` */
export function headline(row: Row, why: Explanation | undefined, now: number): string {
  const look = lookOf(row);
  const state = stateOf(row);
  if (look === "ok") return `${row.name} is Synced and Healthy.`;
  const lasts = since(row.since, now);
  const told = cut(
    why?.causes?.[0]?.title ||
      row.sentence ||
      why?.findings.find((finding) => finding.severity !== "info")?.message ||
      "",
  );
  const plain = told.startsWith(`${row.name}: `) ? told.slice(row.name.length + 2) : told;
  const is = IS[state] ?? `is ${state}`;
  const both = row.sync === "OutOfSync" && state !== "OutOfSync" ? `${is} and ${IS[state] ? "is " : ""}OutOfSync` : is;
  return `${row.name} ${both}${lasts ? ` since ${lasts}` : ""}${plain ? `: ${plain.replace(/\.$/, "")}` : ""}${plain.endsWith("…") ? "" : "."}`;
}

/** States that are no adjective. */
const IS: Record<string, string> = {
  Syncing: "is syncing",
  "Sync stuck": "is stuck in its sync",
  "Sync failed": "failed to sync",
};
const LONGEST = 180;

/** A headline is one sentence: what a program wrote in brackets at great length is told below. */
function cut(text: string): string {
  const short = text.replace(/ \([^()]{60,}\)?.*$/, "");
  if (short.length <= LONGEST) return short;
  const begun = short.slice(0, LONGEST).replace(/\s+\S*$/, "");
  return `${begun.replace(/ \([^()]*$/, "")} …`;
}

interface FactsProps {
  row: Row;
  stale: boolean;
  app: Application;
  cause: Cause | undefined;
  rank: number | undefined;
  asked: string;
  maySync: boolean | undefined;
}

function Facts({ row, stale, app, cause, rank, asked, maySync }: FactsProps) {
  const look = stale ? "unk" : lookOf(row);
  const revision = shortRevision(app.status?.sync?.revision ?? row.revision);
  const running = app.status?.operationState?.phase === "Running";
  return (
    <p class="facts">
      <span>
        <Shape look={look} label={WORDS[look]} /> <b class={`c-${look}`}>{stateOf(row)}</b>
      </span>
      <span>
        {row.sync || "not compared yet"}
        {revision && (
          <>
            {" "}
            {row.sync === "OutOfSync" ? "with" : "at"} <span class="m">{revision}</span>
          </>
        )}
      </span>
      {running && <span>syncing since {clock(app.status?.operationState?.startedAt)}</span>}
      {cause && (
        <span>
          cause{" "}
          <a class="ref" href={`/causes/${encodeURIComponent(cause.id)}`}>
            #{rank ?? cause.rank}
          </a>
          , {shared(cause)}
        </span>
      )}
      <span class="q">project {app.spec.project || "default"}</span>
      <span class="q">
        {app.spec.syncPolicy?.automated && app.spec.syncPolicy.automated.enabled !== false
          ? "syncs automatically"
          : "syncs by hand"}
      </span>
      {maySync === false && (
        <span class="q">
          you may not sync it: that takes <span class="m">{rightText("sync", row)}</span>
        </span>
      )}
      {asked && (
        <span class="asked" role="status">
          {asked}
        </span>
      )}
    </p>
  );
}

function Verdict({ row, cause, tree }: { row: Row; cause: Cause | undefined; tree: Tree | undefined }) {
  if (!cause || !tree || row.sync !== "Synced") return null;
  const key = cause.thing.key;
  // What is outside of every cluster, such as an image, is named by files that may well be this app's own.
  if (!key) return null;
  const own = tree.nodes.some(
    (node) => node.kind === key.kind && node.name === key.name && (node.namespace ?? "") === (key.namespace ?? ""),
  );
  if (own) return null;
  const n = cause.affected?.length ?? 1;
  return (
    <div class="gap">
      <Note>
        <b>Nothing to change in this app.</b> Git and cluster agree; a sync would change nothing. The fix is elsewhere
        {n > 1 ? ` and is predicted to bring back ${n} apps.` : "."}
      </Note>
    </div>
  );
}

function TabCount({ tab, app }: { tab: string; app: Application }) {
  const resources = app.status?.resources ?? [];
  if (tab === "diff")
    return <span class="n">{resources.filter((one) => one.status === "OutOfSync" && !one.hook).length}</span>;
  if (tab === "waves") {
    const waves = new Set(resources.map((one) => one.syncWave ?? 0));
    return resources.length ? <span class="n">{waves.size}</span> : null;
  }
  if (tab === "history") return app.status?.history?.length ? <span class="n">{app.status.history.length}</span> : null;
  return null;
}
