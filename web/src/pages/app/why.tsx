// Why this app is as it is: its objects with the bad path open, and the chain from the first bad thing.
import { useMemo } from "preact/hooks";
import type { Failure } from "../../lib/api";
import type { Application, Cause, Diagnosis, Explanation, Tree } from "../../lib/types";
import type { Where } from "../../lib/url";
import { useRead } from "../../lib/use";
import { plural, pluralKind } from "../../lib/words";
import { Chain } from "../../ui/chain";
import { exactPatch, FixView } from "../../ui/fix";
import { Failed, Reading } from "../../ui/note";
import { Told } from "../../ui/object";
import { Shape } from "../../ui/shape";
import { type Step, Strip } from "../../ui/strip";
import { hopsOf, sureness } from "./hops";
import { Objects } from "./objects";

interface Props {
  app: Application;
  why: Explanation | undefined;
  whyFailure: Failure | undefined;
  tree: Tree | undefined;
  cause: Cause | undefined;
  where: Where;
}

export function Why({ app, why, whyFailure, tree, cause, where }: Props) {
  const hops = useMemo(() => (why ? hopsOf(why, cause, tree ?? { nodes: [] }, app) : []), [why, cause, tree, app]);
  const first = cause?.finding ?? why?.findings.find((finding) => finding.severity !== "info");
  return (
    <div class="two flip">
      <div>
        {tree ? <Objects app={app} tree={tree} where={where} /> : <Reading what="its objects" rows={6} />}
        {why && <RuledOutList why={why} cause={cause} />}
      </div>
      <section aria-label="Why">
        <div class="sh-row">
          <h2>Why</h2>
          <span class="q">{why && (first ? sureness(first) : "nothing to explain")}</span>
        </div>
        {whyFailure && !why && <Failed failure={whyFailure} what="The explanation" />}
        {!why && !whyFailure && <Reading what="Git, the cluster and the rules" />}
        {why && !first && <AllWell app={app} />}
        {cause && <Strip steps={stepsOf(cause)} />}
        {why && first && <Chain hops={hops} selected={where.params.get("node")} />}
        {first?.fix && (
          <section id="fix">
            <div class="sh-row">
              <h2>Fix</h2>
              <span class="q">
                {first.fix.edits?.length ? "edits in Git" : first.fix.command ? "a command" : "a decision"}
              </span>
            </div>
            <FixView fix={first.fix} options={first.options} patch={exactPatch(cause)} />
          </section>
        )}
      </section>
    </div>
  );
}

function AllWell({ app }: { app: Application }) {
  return (
    <p>
      <Shape look="ok" /> {app.metadata.name} is {app.status?.sync?.status}, {app.status?.health?.status}. Every object
      that Git names is live and equal, and every health check was asked.
    </p>
  );
}

const WORKLOADS = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Rollout"]);

/** Counts from the cause to the apps; workloads of all kinds are one step. */
export function stepsOf(cause: Cause): Step[] {
  const steps: Step[] = [{ n: 1, label: cause.thing.key?.kind ?? cause.thing.outside ?? "cause" }];
  let workloads = 0;
  for (const link of cause.chain ?? []) {
    if (link.kind === "Application") continue;
    if (WORKLOADS.has(link.kind)) workloads += link.count;
    else
      steps.push({
        n: link.count,
        label: `${link.count === 1 ? link.kind : pluralKind(link.kind)}${link.state === "absent" ? " absent" : ""}`,
        title: link.state,
      });
  }
  if (workloads) steps.push({ n: workloads, label: workloads === 1 ? "workload" : "workloads" });
  const apps = cause.affected?.length ?? 0;
  steps.push({ n: apps, label: apps === 1 ? "App" : "Apps", href: `/fleet?cause=${cause.id}` });
  return steps;
}

function RuledOutList({ why, cause }: { why: Explanation; cause: Cause | undefined }) {
  const diagnosis = useRead<Diagnosis>("/api/v1/syncline/diagnosis");
  const notes = why.findings.filter((finding) => finding.severity === "info");
  const fleet = (diagnosis.data?.ruled_out ?? []).slice(0, 6);
  const open = [...(cause?.assumptions ?? [])];
  const unread = why.unreadable ?? [];
  const n = notes.length + fleet.length;
  if (!n && !open.length && !unread.length && !why.not_rendered) return null;
  return (
    <section>
      <div class="sh-row">
        <h2>Ruled out</h2>
        <span class="q">{n ? `${n} checked, not the cause` : "nothing that looks like a cause"}</span>
      </div>
      <ul class="list">
        {notes.map((finding, i) => (
          <li key={`n${i}`}>
            <Shape look="ok" label="ruled out" />
            <span>
              <Told text={finding.message} />
            </span>
          </li>
        ))}
        {fleet.map((one, i) => (
          <li key={`r${i}`}>
            <Shape look="ok" label="ruled out" />
            <span>
              <b>{one.text}.</b> {one.because.charAt(0).toUpperCase() + one.because.slice(1)}.
            </span>
          </li>
        ))}
        {open.map((text) => (
          <li key={text}>
            <Shape look="unk" label="cannot tell" />
            <span>
              <b>Cannot tell yet:</b> whether {text}.
            </span>
          </li>
        ))}
        {unread.length > 0 && (
          <li>
            <Shape look="unk" label="cannot tell" />
            <span>
              <b>Not read:</b> {unread.join(", ")}.
            </span>
          </li>
        )}
        {why.not_rendered && (
          <li>
            <Shape look="unk" label="cannot tell" />
            <span>
              <b>Git could not be rendered here:</b> “{why.not_rendered}” Differences are those that were recorded.
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

export function shared(cause: Cause): string {
  const others = (cause.affected?.length ?? 1) - 1;
  return others > 0 ? `shared with ${plural(others, "other app")}` : "this app alone";
}
