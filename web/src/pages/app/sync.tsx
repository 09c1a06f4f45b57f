// The sync dialog: its title is the consequence, then the plan in order, then one main button. A changed plan stops.
import { useState } from "preact/hooks";
import { appPath, Failure, send } from "../../lib/api";
import { rightText, useMay } from "../../lib/rights";
import type { AppDiff, Application, HistoryEntry, ObjectDiff, Plan, PlanTask } from "../../lib/types";
import { go, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { clock, kinds, plural, shortRevision, value } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Failed, Note, Reading } from "../../ui/note";
import { Obj } from "../../ui/object";
import { Shape } from "../../ui/shape";
import { Adopt } from "./adopt";
import { fieldsOf } from "./fields";
import type { TabProps } from "./props";
import { rowOf } from "./row";

export function SyncDialog({ app, name, where, close }: TabProps & { app: Application; close: () => void }) {
  const rollback = where.params.get("rollback");
  const entry = rollback ? app.status?.history?.find((one) => String(one.id) === rollback) : undefined;
  const asked = where.params.get("prune");
  const prune = asked === null ? undefined : asked === "1";
  const running = app.status?.operationState?.phase === "Running";
  if (running) return <StopDialog app={app} name={name} close={close} />;
  return <PlanDialog app={app} name={name} entry={entry} prune={prune} close={close} />;
}

interface PlanProps {
  app: Application;
  name: TabProps["name"];
  entry: HistoryEntry | undefined;
  /** What was chosen; undefined is what the app's own policy says. */
  prune: boolean | undefined;
  close: () => void;
}

function PlanDialog({ app, name, entry, prune, close }: PlanProps) {
  const read = useRead<Plan>(appPath(name, "plan", { history: entry?.id, prune }));
  const diff = useRead<AppDiff>(entry ? null : appPath(name, "diff"));
  const [state, say] = useState<{ asked?: string; failure?: Failure }>({});
  const plan = read.data;
  const adopting = useAdopting(app, plan);
  const title = plan ? consequence(app, plan, entry) : `${entry ? "Roll back" : "Sync"} ${app.metadata.name}`;
  const start = async () => {
    if (!plan) return;
    say({ asked: `asked ${clock(Date.now())}, not yet seen by the controller` });
    try {
      const agreed = { prune: plan.prune, planDigest: plan.digest };
      if (entry) await send("POST", appPath(name, "rollback"), { id: entry.id, ...agreed });
      else await send("POST", appPath(name, "sync"), agreed);
      close();
      go(`/apps/${encodeURIComponent(app.metadata.name)}/waves${name.namespace ? `?ns=${name.namespace}` : ""}`);
    } catch (error) {
      say({ failure: error instanceof Failure ? error : new Failure(0, String(error)) });
    }
  };
  return (
    <Dialog label={title} close={close} wide={840}>
      <header>
        <h2>{title}</h2>
        <p class="q">
          To namespace {app.spec.destination?.namespace || "of each object"},{" "}
          {app.spec.destination?.name ?? app.spec.destination?.server}.
          {entry ? " Git stays ahead of it: the app is OutOfSync afterwards, until it is synced again." : ""}
        </p>
      </header>
      <div class="in">
        {read.failure && <Failed failure={read.failure} what="The plan" again={read.again} />}
        {!plan && !read.failure && <Reading what="Git and the cluster for the plan" />}
        {plan && <Adopt adoption={plan.adoption} name={name} {...adopting} again={read.again} />}
        {plan && <PlanList plan={plan} diff={diff.data} />}
        {plan && <Checks plan={plan} diff={diff.data} />}
        {plan && <Pruning plan={plan} />}
        {state.failure && (
          <div class="gap">
            {state.failure.status === 409 ? (
              <Note
                look="dec"
                end={
                  <button
                    type="button"
                    class="btn sm"
                    onClick={() => {
                      say({});
                      read.again();
                    }}
                  >
                    Show the new plan
                  </button>
                }
              >
                <b>The plan is another by now; nothing was started.</b> “{state.failure.message}”
              </Note>
            ) : (
              <Note look={state.failure.refused ? "unk" : "bad"}>
                <b>Nothing was started.</b> “{state.failure.message}” {state.failure.hint}
              </Note>
            )}
          </div>
        )}
      </div>
      <footer>
        {plan && !state.asked && <span class="m q">{command(app, entry, plan.prune)}</span>}
        <span class="asked" role="status">
          {state.asked}
        </span>
        <span class="end">
          <button type="button" class="btn" onClick={close}>
            Cancel <kbd>Esc</kbd>
          </button>
          <button type="button" class="btn pri" disabled={!plan || !!state.asked} onClick={() => void start()}>
            {entry ? "Roll back" : "Apply this plan"}
          </button>
        </span>
        {plan && (
          <p class="q">
            What you see is what is applied: if the plan is no longer <span class="m">{plan.digest.slice(0, 7)}</span>{" "}
            when it starts, nothing is written and you are shown the new one.
          </p>
        )}
      </footer>
    </Dialog>
  );
}

/** `Sync hello to 6c805de: 1 object changes, nothing is deleted.` */
export function consequence(app: Application, plan: Plan, entry: HistoryEntry | undefined): string {
  const changes = plan.tasks.filter((task) => task.action === "apply" && task.changed).length;
  const hooks = plan.tasks.filter((task) => task.action === "hook").length;
  const pruned = plan.tasks.filter((task) => task.action === "prune").length;
  const said = [
    changes ? `${plural(changes, "object")} ${changes === 1 ? "changes" : "change"}` : "no object changes",
    hooks && `${plural(hooks, "hook")} ${hooks === 1 ? "runs" : "run"}`,
    pruned ? `${plural(pruned, "object")} ${pruned === 1 ? "is" : "are"} deleted` : "nothing is deleted",
  ].filter(Boolean);
  const to = shortRevision(plan.revision || plan.revisions[0]);
  return `${entry ? "Roll back" : "Sync"} ${app.metadata.name} to ${to}: ${said.join(", ")}.`;
}

function command(app: Application, entry: HistoryEntry | undefined, prune: boolean): string {
  const flags = prune ? " --prune" : "";
  return entry
    ? `syncline app rollback ${app.metadata.name} ${entry.id}${flags}`
    : `syncline app sync ${app.metadata.name}${flags}`;
}

const OPS: Record<string, string> = { apply: "~", hook: "▸", prune: "−", keep: "=" };

function PlanList({ plan, diff }: { plan: Plan; diff: AppDiff | undefined }) {
  const byKey = new Map((diff?.objects ?? []).map((object) => [object.key, object]));
  const loud = plan.tasks.filter(
    (task) => task.action === "prune" || task.action === "hook" || (task.action === "apply" && task.changed),
  );
  const quiet = plan.tasks.filter((task) => !loud.includes(task));
  return (
    <ol class="plan" aria-label="Plan">
      {loud.map((task) => (
        <Task key={task.phase + task.key} task={task} object={byKey.get(task.key)} />
      ))}
      {quiet.length > 0 && (
        <li class="pl">
          <span class="w" />
          <span class="op q">=</span>
          <span class="q">
            {plural(quiet.length, "object")} {quiet.length === 1 ? "is" : "are"} equal or kept: {tallied(quiet)}
          </span>
          <span class="end" />
        </li>
      )}
    </ol>
  );
}

function tallied(tasks: PlanTask[]): string {
  const found = new Map<string, number>();
  for (const task of tasks) found.set(task.object.kind, (found.get(task.object.kind) ?? 0) + 1);
  return [...found].map(([kind, n]) => kinds(n, kind)).join(", ");
}

const FIELDS = 6;

function Task({ task, object }: { task: PlanTask; object: ObjectDiff | undefined }) {
  const created = task.action === "apply" && object?.missing;
  const fields = task.action === "apply" && object ? fieldsOf(object).filter((one) => one.cause !== "extra live") : [];
  return (
    <li class="pl">
      <span class="w">{task.phase === "Sync" ? `wave ${String(task.wave).replace("-", "−")}` : task.phase}</span>
      <span class="op">{created ? "+" : OPS[task.action]}</span>
      <span>
        <Obj of={task.object} />{" "}
        <span class="q">
          {[task.action === "hook" ? "hook runs, then is waited for" : created ? "is created" : "", task.detail ?? ""]
            .filter(Boolean)
            .join("; ")}
        </span>
        {fields.slice(0, FIELDS).map((one) => (
          <span class="f m" key={one.path}>
            {one.path} <del>{value(one.live)}</del> → <ins>{value(one.desired)}</ins>
          </span>
        ))}
        {fields.length > FIELDS && <span class="f q">{fields.length - FIELDS} more fields: the Diff tab has all</span>}
        {task.refusal && (
          <span class="f c-bad">
            <Shape look="bad" /> {task.refusal}
          </span>
        )}
      </span>
      <span class="end">{task.place}</span>
    </li>
  );
}

/** Says what can be pruned and whether it is; where there is nothing, why nothing can be chosen. */
function Pruning({ plan }: { plan: Plan }) {
  const left = plan.tasks.filter((task) => task.action === "prune" || task.action === "keep").length;
  return (
    <div class="op-l">
      <b>Options</b>
      <label class={left ? "" : "off"}>
        <input
          type="checkbox"
          checked={left > 0 && !!plan.prune}
          disabled={!left}
          onChange={(event) => go(withParams({ prune: event.currentTarget.checked ? "1" : "0" }), { replace: true })}
        />
        {left
          ? `Prune ${plural(left, "object")} that ${left === 1 ? "is" : "are"} no longer in Git`
          : "Prune: nothing to prune"}
      </label>
    </div>
  );
}

/** Fields that somebody else wrote since, and that this sync sets back. */
export function editsLost(diff: Pick<AppDiff, "objects">): { n: number; by: string[] } {
  const lost = diff.objects.flatMap(fieldsOf).filter((one) => one.cause === "changed live");
  return { n: lost.length, by: [...new Set(lost.map((one) => one.manager ?? "").filter(Boolean))] };
}

function Checks({ plan, diff }: { plan: Plan; diff: AppDiff | undefined }) {
  const problems = plan.problems ?? [];
  const notes = plan.notes ?? [];
  const lost = diff && editsLost(diff);
  return (
    <ul class="list small ck">
      {lost && (
        <li>
          <Shape look={lost.n ? "dec" : "ok"} />
          <span>
            {lost.n ? (
              <>
                <b>
                  {plural(lost.n, "live edit")} {lost.n === 1 ? "is" : "are"} lost
                </b>
                {lost.by.length > 0 && `, by ${lost.by.join(", ")}`}.
              </>
            ) : (
              <>
                <b>No live edit is lost.</b> No field that changes has another writer.
              </>
            )}
          </span>
        </li>
      )}
      {plan.decision?.message && (
        <li>
          <Shape look="unk" label="note" />
          <span>
            <b>Without you:</b> “{plan.decision.message}”
          </span>
        </li>
      )}
      {problems.map((text) => (
        <li key={text}>
          <Shape look="bad" />
          <span>{text}</span>
        </li>
      ))}
      {notes.map((text) => (
        <li key={text}>
          <Shape look="work" label="note" />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

/** Whether the reader may approve a take-over, asked where one waits, and the right that it takes. */
function useAdopting(app: Application, plan: Plan | undefined): { may: boolean | undefined; right: string } {
  const subject = rowOf(app);
  const may = useMay("update", plan?.adoption?.objects.length ? subject : undefined);
  return { may, right: rightText("update", subject) };
}

/** How the message of an operation begins that waits for somebody to approve a take-over. */
const ADOPTING = "waiting for approval:";

function StopDialog({ app, name, close }: { app: Application; name: TabProps["name"]; close: () => void }) {
  const [failure, fail] = useState<Failure>();
  const [asked, ask] = useState("");
  const state = app.status?.operationState;
  const waits = !!state?.message?.startsWith(ADOPTING);
  const plan = useRead<Plan>(waits ? appPath(name, "plan") : null);
  const adopting = useAdopting(app, plan.data);
  const title = `Stop the sync of ${app.metadata.name}: what is applied stays, what is not is left out.`;
  const stop = async () => {
    ask(`asked ${clock(Date.now())}`);
    try {
      await send("DELETE", appPath(name, "operation"));
      close();
    } catch (error) {
      ask("");
      fail(error instanceof Failure ? error : new Failure(0, String(error)));
    }
  };
  return (
    <Dialog label={title} close={close} wide={640}>
      <header>
        <h2>{title}</h2>
        <p class="q">
          Runs since {clock(state?.startedAt)}. “{state?.message}” A newer commit takes over without this; stop it only
          where a hook waits for ever.
        </p>
      </header>
      {waits && (
        <div class="in">
          <Adopt adoption={plan.data?.adoption} name={name} {...adopting} again={close} />
        </div>
      )}
      {failure && (
        <div class="in">
          <Failed failure={failure} what="The sync" />
        </div>
      )}
      <footer>
        <span class="asked" role="status">
          {asked}
        </span>
        <span class="end">
          <button type="button" class="btn" onClick={close}>
            Leave it running
          </button>
          <button type="button" class="btn pri" disabled={!!asked} onClick={() => void stop()}>
            Stop sync
          </button>
        </span>
      </footer>
    </Dialog>
  );
}
