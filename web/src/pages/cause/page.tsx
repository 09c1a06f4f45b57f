// One cause: its fix, its evidence, who waits for it, what is predicted, and what cannot be told yet.
import { useEffect, useMemo } from "preact/hooks";
import { causeById, useFleet } from "../../lib/fleet";
import { severityLook } from "../../lib/look";
import type { Cause } from "../../lib/types";
import { useWhere } from "../../lib/url";
import { useNow, useRead, useTitle } from "../../lib/use";
import { count, moment, plural, since, thingText } from "../../lib/words";
import { Chain } from "../../ui/chain";
import { CopyButton } from "../../ui/copy";
import { exactPatch, FixView, fixText } from "../../ui/fix";
import { Failed, Reading } from "../../ui/note";
import { Told } from "../../ui/object";
import { Shape } from "../../ui/shape";
import { Strip } from "../../ui/strip";
import { sureness } from "../app/hops";
import { stepsOf } from "../app/why";
import { Causes } from "../fleet/causes";
import { Stairs, stairs } from "../fleet/stairs";
import { Affected } from "./affected";
import { causeHops } from "./hops";
import { pullRequest } from "./request";

export function CausesPage() {
  const state = useFleet();
  const now = useNow(5000);
  useTitle("Causes");
  const rows = useMemo(() => [...state.rows.values()], [state.turn]);
  const head = state.head;
  const n = head?.causes.length ?? 0;
  return (
    <div class="page full">
      <main id="main">
        <h1>
          {!head
            ? "Causes"
            : n
              ? `${plural(n, "cause")} behind ${plural(head.total - head.good, "app")} that ${head.total - head.good === 1 ? "is" : "are"} not OK.`
              : "No cause: nothing is wrong that has one."}
        </h1>
        {!head &&
          (state.failure ? <Failed failure={state.failure} what="The causes" /> : <Reading what="all Applications" />)}
        {head && n > 0 && <Causes all causes={head.causes} rows={rows} now={now} />}
        {head && <Stairs good={head.good} total={head.total} repairs={head.repairs} causes={head.causes} />}
      </main>
    </div>
  );
}

export function CausePage({ id }: { id: string }) {
  const where = useWhere();
  const state = useFleet();
  const now = useNow(5000);
  const read = useRead<Cause>(`/api/v1/syncline/causes/${encodeURIComponent(id)}`, 10_000);
  const cause = read.data;
  useTitle(cause ? `#${cause.rank} ${cause.finding.name}` : "Cause");
  useEffect(() => {
    if (cause && where.params.get("show") === "fix") document.getElementById("fix")?.scrollIntoView({ block: "start" });
  }, [cause?.id, where.params.get("show")]);
  if (!cause)
    return (
      <div class="page full">
        <main id="main">
          <h1 class="app">Cause {id}</h1>
          {read.failure ? (
            read.failure.status === 404 ? (
              <p class="gap">
                <Shape look="ok" /> This cause is no longer there: it was repaired, or it has another name by now.{" "}
                <a class="l" href="/causes">
                  All causes
                </a>
              </p>
            ) : (
              <Failed failure={read.failure} what="The cause" again={read.again} />
            )
          ) : (
            <Reading what="the cause" />
          )}
        </main>
      </div>
    );
  const { finding } = cause;
  const rank = causeById(state, cause.id)?.rank ?? cause.rank;
  const apps = cause.affected?.length ?? 0;
  const fix = fixText(finding.fix, exactPatch(cause));
  return (
    <div class="page full">
      <main id="main">
        <nav class="crumb" aria-label="Where">
          <span>
            <a href="/fleet">Fleet</a>
          </span>
          <span>/</span>
          <span>
            <a href="/causes">Causes</a>
          </span>
          <span>/</span>
          <span>
            <b>#{rank}</b> {finding.code} {finding.name}
          </span>
        </nav>
        <div class="lead">
          <div>
            <h1 class="app">
              {finding.message.replace(/\.$/, "")}. {plural(apps, "app")} {apps === 1 ? "waits" : "wait"} for it.
            </h1>
            <p class="facts">
              <span>
                <Shape look={severityLook(finding.severity)} />{" "}
                <b class={`c-${severityLook(finding.severity)}`}>
                  {finding.severity === "error" ? "broken" : "needs a decision"}
                </b>
              </span>
              {finding.since && (
                <span>
                  since {moment(finding.since)}, {since(finding.since, now)}
                </span>
              )}
              <span>{sureness(finding)}</span>
              {cause.next_in_line?.length ? (
                <span>{plural(cause.next_in_line.length, "cause")} may show once it is repaired</span>
              ) : null}
            </p>
          </div>
          <div class="acts">
            {fix && <CopyButton main text={fix} label={copied(cause)} />}
            <CopyButton text={pullRequest(cause)} label="Copy PR text" />
          </div>
        </div>
        <div class="gap">
          <Strip steps={stepsOf(cause)} />
        </div>
        <div class="c2">
          <div>
            <section id="fix">
              <div class="sh-row">
                <h2>Fix</h2>
                <span class="q">
                  {finding.fix?.edits?.length
                    ? `${plural(finding.fix.edits.length, "edit")} in ${plural(new Set(finding.fix.edits.map((one) => one.place.file)).size, "file")}${exactPatch(cause) ? "; the patch applies as it is" : ""}`
                    : finding.fix?.command
                      ? "a command"
                      : "a decision that is yours"}
                </span>
              </div>
              {finding.fix ? (
                <FixView fix={finding.fix} options={finding.options} patch={exactPatch(cause)} />
              ) : (
                <p class="q">No fix is known. The evidence below says what was seen.</p>
              )}
            </section>
            <section>
              <div class="sh-row">
                <h2>Evidence</h2>
                <span class="q">what was read, and where</span>
              </div>
              <Chain hops={causeHops(cause)} />
            </section>
            {(cause.assumptions?.length ?? 0) > 0 && (
              <section>
                <div class="sh-row">
                  <h2>Cannot tell yet</h2>
                </div>
                <ul class="list">
                  {cause.assumptions!.map((text) => (
                    <li key={text}>
                      <Shape look="unk" label="cannot tell" />
                      <span>
                        whether <Told text={text} />
                      </span>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </div>
          <div>
            <Prediction cause={cause} />
            <Affected cause={cause} state={state} />
            <p class="q small gap">
              The same in a terminal: <span class="m">syncline diagnose {rank}</span>,{" "}
              <span class="m">syncline rule {finding.code}</span>. It is about {thingText(cause.thing)}.
            </p>
          </div>
        </div>
      </main>
    </div>
  );
}

function copied(cause: Cause): string {
  const { fix } = cause.finding;
  if (exactPatch(cause)) return "Copy patch";
  return fix?.edits?.length ? "Copy edits" : fix?.command ? "Copy command" : "Copy decision";
}

function Prediction({ cause }: { cause: Cause }) {
  const state = useFleet();
  const head = state.head;
  if (!head) return null;
  const step = stairs(head.good, head.repairs, head.causes).find((one) => one.cause.id === cause.id);
  if (!step) return null;
  const before = head.repairs.findIndex((one) => one.cause === cause.id);
  return (
    <section>
      <div class="sh-row">
        <h2>Predicted</h2>
        <span class="q">step {before + 1} of the repair, at most</span>
      </div>
      <div class="pred">
        <span>{count(step.before)} OK</span>
        <span
          class="bar"
          style={{
            "--a": `${(100 * step.before) / head.total}%`,
            "--b": `${(100 * (step.after - step.before)) / head.total}%`,
          }}
        >
          <i />
          <u />
        </span>
        <span>
          {count(step.after)} of {count(head.total)}, +{step.after - step.before}
        </span>
      </div>
    </section>
  );
}
