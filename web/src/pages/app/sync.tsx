// The sync dialog: its title is the consequence, then the plan in order, then one main button. A changed plan stops.
import { useState } from "preact/hooks";
import { appPath, Failure, send } from "../../lib/api";
import type { Application, HistoryEntry, Plan, PlanTask } from "../../lib/types";
import { go, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { clock, kinds, plural, shortRevision } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Failed, Note, Reading } from "../../ui/note";
import { Obj } from "../../ui/object";
import { Shape } from "../../ui/shape";
import type { TabProps } from "./props";

export function SyncDialog({ app, name, where, close }: TabProps & { app: Application; close: () => void }) {
  const rollback = where.params.get("rollback");
  const entry = rollback ? app.status?.history?.find((one) => String(one.id) === rollback) : undefined;
  const prune = where.params.get("prune") === "1";
  const running = app.status?.operationState?.phase === "Running";
  if (running) return <StopDialog app={app} name={name} close={close} />;
  return <PlanDialog app={app} name={name} entry={entry} prune={prune} close={close} />;
}

interface PlanProps {
  app: Application;
  name: TabProps["name"];
  entry: HistoryEntry | undefined;
  prune: boolean;
  close: () => void;
}

function PlanDialog({ app, name, entry, prune, close }: PlanProps) {
  const read = useRead<Plan>(appPath(name, "plan", { history: entry?.id, prune: prune || undefined }));
  const [state, say] = useState<{ asked?: string; failure?: Failure }>({});
  const plan = read.data;
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
        {plan && <PlanList plan={plan} />}
        {plan && <Checks plan={plan} />}
        {plan && (
          <div class="op-l">
            <label>
              <input
                type="checkbox"
                checked={prune || !!plan.prune}
                onChange={(event) =>
                  go(withParams({ prune: event.currentTarget.checked ? "1" : null }), { replace: true })
                }
              />
              Prune what is no longer in Git
            </label>
            <span class="q">
              The same as a command: <span class="m">{command(app, entry, prune)}</span>
            </span>
          </div>
        )}
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
        <span class="asked" role="status">
          {state.asked}
        </span>
        <span class="end">
          <button type="button" class="btn" onClick={close}>
            Cancel
          </button>
          <button type="button" class="btn pri" disabled={!plan || !!state.asked} onClick={() => void start()}>
            {entry ? "Roll back" : "Sync"}
          </button>
        </span>
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

function PlanList({ plan }: { plan: Plan }) {
  const loud = plan.tasks.filter(
    (task) => task.action === "prune" || task.action === "hook" || (task.action === "apply" && task.changed),
  );
  const quiet = plan.tasks.filter((task) => !loud.includes(task));
  return (
    <ol class="plan" aria-label="Plan">
      {loud.map((task) => (
        <Task key={task.phase + task.key} task={task} />
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

function Task({ task }: { task: PlanTask }) {
  return (
    <li class="pl">
      <span class="w">{task.phase === "Sync" ? `wave ${task.wave}` : task.phase}</span>
      <span class="op">{OPS[task.action]}</span>
      <span>
        <Obj of={task.object} />{" "}
        <span class="q">
          {[task.action === "hook" ? "hook runs, then is waited for" : "", task.detail ?? ""]
            .filter(Boolean)
            .join("; ")}
        </span>
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

function Checks({ plan }: { plan: Plan }) {
  const problems = plan.problems ?? [];
  const notes = [...(plan.notes ?? []), ...(plan.decision?.message ? [plan.decision.message] : [])];
  if (!problems.length && !notes.length) return null;
  return (
    <ul class="list small">
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

function StopDialog({ app, name, close }: { app: Application; name: TabProps["name"]; close: () => void }) {
  const [failure, fail] = useState<Failure>();
  const [asked, ask] = useState("");
  const state = app.status?.operationState;
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
