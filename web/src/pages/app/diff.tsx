// What differs, by field: what Git says and where, what the cluster has and who wrote it, why, and what a sync does.
import { lazy, Suspense } from "preact/compat";
import { useEffect } from "preact/hooks";
import { appPath } from "../../lib/api";
import type { Look } from "../../lib/look";
import type { AppDiff, Difference, ObjectDiff } from "../../lib/types";
import { withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { moment, plural, shortRevision, value } from "../../lib/words";
import { Commit } from "../../ui/commit";
import { Failed, Note, Outdated, Reading } from "../../ui/note";
import { Obj } from "../../ui/object";
import { Seg } from "../../ui/seg";
import { Shape } from "../../ui/shape";
import { fieldsOf } from "./fields";
import { IgnoreRule } from "./ignore";
import type { TabProps } from "./props";

const Unified = lazy(() => import("./unified").then((found) => found.Unified));

export function Diff({ app, name, where, version }: TabProps & { version: number }) {
  const read = useRead<AppDiff>(appPath(name, "diff", { ignoreRules: true }));
  // a changed app is compared again
  useEffect(() => {
    if (version > 1) read.again();
  }, [version]);
  const blamed = useRead<AppDiff>(read.data ? appPath(name, "diff", { ignoreRules: true, blame: true }) : null);
  useEffect(() => {
    if (blamed.at) blamed.again();
  }, [read.at]);
  const view = where.params.get("view") ?? "fields";
  const only = where.params.get("only") ?? "all";
  if (!read.data)
    return read.failure ? (
      <Failed failure={read.failure} what="The difference" again={read.again} />
    ) : (
      <Reading what="Git and the cluster, field by field" />
    );
  // The history of files may take its time: it comes behind, and fills in.
  const diff = blamed.data && saysTheSame(blamed.data, read.data) ? blamed.data : read.data;
  const rows = diff.objects.flatMap((object) =>
    (fieldsOf(object).length ? fieldsOf(object) : [undefined]).map((one) => ({ object, one })),
  );
  const filled = rows.filter(({ one }) => one && isFilled(one)).length;
  const shown = (object: ObjectDiff) =>
    only === "all" || (only === "filled") === (object.differences ?? []).some(isFilled);
  const equal = diff.counts.Synced ?? 0;
  return (
    <section class="ftab">
      <Outdated read={read} what="The difference" />
      <div class="sh-row">
        <Seg
          name="view"
          value={view}
          usual="fields"
          where={where}
          options={[
            ["fields", "By field"],
            ["yaml", "Unified YAML"],
          ]}
        />
        <span class="q">
          compared to <span class="m">{diff.revisions.map(shortRevision).join(", ")}</span>;{" "}
          {plural(equal, "equal object")} folded
        </span>
        <span class="end">
          {rows.length > 0 && (
            <Seg
              name="only"
              value={only}
              usual="all"
              where={where}
              options={[
                ["all", `All ${rows.length}`],
                ["decide", `Decide ${rows.length - filled}`],
                ["filled", `Only live ${filled}`],
              ]}
            />
          )}
        </span>
      </div>
      {(diff.problems ?? []).map((problem) => (
        <div class="gap" key={problem}>
          <Note look="unk">
            <b>Not everything could be compared.</b> “{problem}”
          </Note>
        </div>
      ))}
      {!diff.objects.length && (
        <p class="none">
          <Shape look="ok" /> Git and cluster agree in all {equal} objects.
        </p>
      )}
      {view === "yaml" ? (
        <Suspense fallback={<Reading what="both sides" />}>
          <Unified name={name} diff={diff} where={where} />
        </Suspense>
      ) : (
        <>
          {diff.objects.length > 0 && (
            <div class="drow hd" aria-hidden="true">
              <span>field</span>
              <span>Git says</span>
              <span>cluster has</span>
              <span>why it differs</span>
            </div>
          )}
          {diff.objects.filter(shown).map((object) => (
            <ObjectRows key={object.key} object={object} where={where} app={app.metadata.name} />
          ))}
        </>
      )}
    </section>
  );
}

/** Whether two answers differ in nothing but the history of files. */
export function saysTheSame(one: AppDiff, other: AppDiff): boolean {
  const said = (diff: AppDiff) =>
    JSON.stringify([diff.revisions, diff.objects], (key, found) => (key === "commit" ? undefined : found));
  return said(one) === said(other);
}

function isFilled(one: Difference): boolean {
  return one.cause === "extra live";
}

function lookOf(object: ObjectDiff): Look {
  if (object.verdict === "Unknown") return "unk";
  if (object.missing) return "bad";
  return (object.differences ?? []).every(isFilled) && object.differences?.length ? "ok" : "dec";
}

function ObjectRows({ object, where, app }: { object: ObjectDiff; where: TabProps["where"]; app: string }) {
  const fields = fieldsOf(object);
  const whole = (object.differences ?? []).find((one) => one.path === "");
  const rule = object.ignoreRule;
  const ruleOpen = where.params.get("rule") === object.key;
  // What is newer in Git is not for ignoring.
  const drifted = fields.find((one) => one.cause !== "changed in Git" && one.cause !== "removed from Git");
  const secret = object.kind === "Secret";
  return (
    <>
      <div class="ohead">
        <Shape look={lookOf(object)} label={object.verdict} />
        <Obj of={object} />
        <span class="q">
          {object.missing && "in Git, not in the cluster"}
          {object.extra && "in the cluster, no longer in Git"}
          {!object.missing &&
            !object.extra &&
            (fields.length ? plural(fields.length, "field") : (object.message ?? "could not be compared"))}
          {secret && "; values are never shown"}
        </span>
        <span class="end src">{object.place}</span>
      </div>
      {whole && (
        <div class="drow whole">
          <span class="q">the whole object</span>
          <span>
            <span class="q">{object.missing ? "all of it" : "not there"}</span>
            {whole.commit && (
              <span class="o">
                <Commit of={whole.commit} />
              </span>
            )}
          </span>
          <span class="q">
            {object.missing ? "not there" : "there"}
            {whole.manager && (
              <span class="o">
                <b>{whole.manager}</b>
                {whole.time && `, ${moment(whole.time)}`}
              </span>
            )}
          </span>
          <span class="why">
            {object.missing
              ? "The cluster does not have it. A sync creates it."
              : "Git no longer has it. A sync that prunes deletes it."}
          </span>
        </div>
      )}
      {fields.map((one) => (
        <div class="drow" key={one.path}>
          <Path path={one.path} />
          <span>
            <Value of={one.desired} label="Git" />
            <span class="o">{one.place && <span class="src">{one.place}</span>}</span>
            {one.commit && (
              <span class="o">
                <Commit of={one.commit} />
              </span>
            )}
          </span>
          <span>
            <Value of={one.live} label="Live" />
            {one.manager && (
              <span class="o">
                <b>{one.manager}</b>
                {one.time && `, ${moment(one.time)}`}
              </span>
            )}
          </span>
          <span class="why">
            {because(one)}
            {rule?.entry && one === drifted && (
              <span class="acts">
                <a
                  class="btn sm"
                  aria-expanded={ruleOpen}
                  href={withParams({ rule: ruleOpen ? null : object.key }, where)}
                >
                  Make ignore rule {ruleOpen ? "▴" : "▾"}
                </a>
              </span>
            )}
          </span>
        </div>
      ))}
      {ruleOpen && rule?.entry && (
        <IgnoreRule
          entry={rule.entry}
          reason={rule.reason}
          object={object}
          app={app}
          close={withParams({ rule: null }, where)}
        />
      )}
      {(object.accepted ?? []).length > 0 && (
        <div class="ohead">
          <span class="q">
            {plural(object.accepted!.length, "accepted difference")}:{" "}
            {object
              .accepted!.map(
                (one) =>
                  `${one.path}${one.reason ? `, “${one.reason}”` : ""}${one.expires ? `, look again ${one.expires}` : ""}`,
              )
              .join("; ")}
          </span>
        </div>
      )}
    </>
  );
}

function Path({ path }: { path: string }) {
  const cut = Math.max(path.lastIndexOf("."), path.lastIndexOf("]."));
  const leaf = path.slice(cut + 1);
  const parent = cut > 0 ? path.slice(0, cut) : "";
  return (
    <span class="path">
      {leaf}
      {parent && <small>in {parent}</small>}
    </span>
  );
}

function Value({ of, label }: { of: unknown; label: string }) {
  return (
    <span class={`v${of === null || of === undefined ? " unset" : ""}`} data-l={label}>
      {value(of)}
    </span>
  );
}

const BECAUSE: Record<string, string> = {
  "changed in Git": "Git is newer. A sync writes Git's value.",
  "changed live": "Someone changed it in the cluster. A sync would undo this.",
  "removed from Git": "It is no longer in Git. A sync takes it away.",
  "missing live": "The cluster does not have it. A sync adds it.",
  "extra live": "Only the cluster has it; Git does not set it. A sync does not touch it.",
  tracking: "The mark that says which app owns the object. A sync sets it.",
};

function because(one: Difference): string {
  const told = BECAUSE[one.cause] ?? one.cause;
  return one.manager && one.cause === "changed live" ? told.replace("Someone", one.manager) : told;
}
