// What there is to say when all is well: the last deliveries, and when windows open.
import { appPath, query } from "../../lib/api";
import type { Accepted, Application, AppProject } from "../../lib/types";
import { appLink } from "../../lib/url";
import { type Read, useRead } from "../../lib/use";
import { lasting, moment, plural, shortRevision } from "../../lib/words";
import { Note } from "../../ui/note";
import { Shape } from "../../ui/shape";

const FIELDS =
  "items.metadata.name,items.metadata.namespace,items.status.history,items.status.operationState.operation.initiatedBy";
const SHOWN = 8;

interface Delivery {
  app: { name: string; namespace: string };
  at: string;
  took: number;
  revision: string;
  by: string;
}

export function deliveries(apps: Application[]): Delivery[] {
  const found: Delivery[] = [];
  for (const app of apps)
    for (const entry of app.status?.history ?? []) {
      const began = Date.parse(entry.deployStartedAt ?? entry.deployedAt);
      const by = entry.initiatedBy?.automated
        ? "automatically"
        : entry.initiatedBy?.username
          ? `by ${entry.initiatedBy.username}`
          : "by hand";
      found.push({
        app: app.metadata,
        at: entry.deployedAt,
        took: (Date.parse(entry.deployedAt) - began) / 1000,
        revision: entry.revision ?? entry.revisions?.[0] ?? "",
        by,
      });
    }
  return found.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN);
}

/** What differs and counts for nothing because somebody said so: why, who, and until when. */
function AcceptedDrift() {
  const read = useRead<Accepted>("/api/v1/syncline/accepted", 60_000);
  const items = read.data?.items ?? [];
  if (!items.length && !read.data?.problems.length) return null;
  const apps = new Set(items.map((one) => one.app.name)).size;
  return (
    <section>
      <div class="sh-row">
        <h2>Drifting, but accepted</h2>
        <span class="q">
          {plural(items.length, "rule")} in {plural(apps, "app")}, each with its reason
        </span>
      </div>
      <ul class="sds">
        {items.map((one, i) => (
          <li class="sd acc" key={i}>
            <Shape look={one.expired ? "dec" : "ok"} label={one.expired ? "has run out" : "accepted"} />
            <a href={appLink(one.app, "diff")}>
              <b>{one.app.name}</b>
            </a>
            <span class="m">
              {one.rule.kind}
              {one.rule.name ? `/${one.rule.name}` : ""}{" "}
              {[...(one.rule.jsonPointers ?? []), ...(one.rule.jqPathExpressions ?? [])].join(", ")}
            </span>
            <span>
              “{one.reason}”{one.owner && <span class="q"> {one.owner}</span>}
            </span>
            <span class="end">
              {one.expires
                ? one.expired
                  ? `ran out ${one.expires}: it counts again`
                  : `until ${one.expires}`
                : "for good"}
            </span>
          </li>
        ))}
      </ul>
      {(read.data?.problems ?? []).map((one) => (
        <Note look="dec" key={one.app.name + one.message}>
          <b>{one.app.name}</b>: a rule counts for nothing, {one.message}
        </Note>
      ))}
    </section>
  );
}

/** What the commit of a delivery says of itself; nothing where it is not a commit, or cannot be read. */
function Subject({ delivery }: { delivery: Delivery }) {
  const commit = /^[0-9a-f]{40,64}$/.test(delivery.revision);
  const told = useRead<{ message?: string }>(
    commit ? appPath(delivery.app, `revisions/${delivery.revision}/metadata`) : null,
  );
  const subject = told.data?.message?.split("\n")[0];
  return subject ? <>“{subject}”</> : null;
}

/** Says why no window is listed; only who sees the projects knows that there is none. */
export function noWindows(projects: Pick<Read<{ items: AppProject[] }>, "data" | "failure">): string {
  if (!projects.data) return projects.failure ? `not known: “${projects.failure.message}”` : "reading";
  return projects.data.items?.length ? "none: every app may sync at any time" : "of no project that you may see";
}

export function Quiet() {
  const apps = useRead<{ items: Application[] | null }>(
    `/api/v1/applications${query({ fields: FIELDS, sort: "-since", limit: 50 })}`,
    15_000,
  );
  const projects = useRead<{ items: AppProject[] }>("/api/v1/projects", 60_000);
  const last = deliveries(apps.data?.items ?? []);
  const windows = (projects.data?.items ?? []).flatMap((project) =>
    (project.spec?.syncWindows ?? []).map((window) => ({ project: project.metadata.name, window })),
  );
  return (
    <>
      <section class="q3">
        <div>
          <div class="sh-row">
            <h2>Last deliveries</h2>
            <span class="q">{last.length ? `the newest ${last.length}` : apps.busy ? "reading" : "none yet"}</span>
          </div>
          <ol>
            {last.map((one) => (
              <li class="dl" key={`${one.app.name}${one.at}`}>
                <time>{moment(one.at)}</time>
                <span class="m">{shortRevision(one.revision)}</span>
                <span>
                  <a href={appLink(one.app, "history")}>
                    <b>{one.app.name}</b>
                  </a>{" "}
                  <Subject delivery={one} /> <span class="q">{one.by}</span>
                </span>
                <span class="end">{one.took > 0 ? lasting(one.took) : ""}</span>
              </li>
            ))}
          </ol>
        </div>
        <div>
          <div class="sh-row">
            <h2>Sync windows</h2>
            <span class="q">{windows.length || noWindows(projects)}</span>
          </div>
          <ul class="list small">
            {windows.map(({ project, window }, i) => (
              <li key={i}>
                <span />
                <span>
                  <b>{project}</b> {window.kind} <span class="m">{window.schedule}</span> for {window.duration}{" "}
                  {window.timeZone}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </section>
      <AcceptedDrift />
    </>
  );
}
