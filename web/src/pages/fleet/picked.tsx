// Several apps at once: picked with x, refreshed, or synced with the plan of each first. Nothing is hidden in a sum.
import { useEffect, useState } from "preact/hooks";
import { appPath, Failure, get, send } from "../../lib/api";
import { useKeys } from "../../lib/keys";
import { mayPath } from "../../lib/rights";
import type { Plan, Row } from "../../lib/types";
import { appLink, go, type Where, withParams } from "../../lib/url";
import { clock, plural, shortRevision } from "../../lib/words";
import { Dialog } from "../../ui/dialog";
import { Note } from "../../ui/note";
import { Shape } from "../../ui/shape";

const AT_ONCE = 3;
export const MOST = 50;

export function pickedOf(where: Where): string[] {
  return (where.params.get("picked") ?? "").split(",").filter(Boolean).slice(0, MOST);
}

export function toggled(picked: string[], key: string): string {
  return (picked.includes(key) ? picked.filter((one) => one !== key) : [...picked, key]).join(",");
}

function nameOf(row: Row) {
  return row.namespace === "argocd" ? { name: row.name } : { name: row.name, namespace: row.namespace };
}

/** Do something with each, a few at a time. */
async function each<T>(all: T[], act: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  const next = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

function failureOf(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, String(error));
}

export function Picked({ rows, where }: { rows: ReadonlyMap<string, Row>; where: Where }) {
  const picked = pickedOf(where).flatMap((key) => rows.get(key) ?? []);
  const [may, allow] = useState(false);
  const [said, say] = useState("");
  const names = picked.map((row) => `${row.namespace}/${row.name}`).join();
  useEffect(() => {
    let here = true;
    allow(false);
    void each(picked, async (row) => {
      const told = await get<{ value: string }>(mayPath("sync", row)).catch(() => ({ value: "no" }));
      if (here && told.value === "yes") allow(true);
    });
    return () => {
      here = false;
    };
  }, [names]);
  const open = () => go(withParams({ show: "syncs" }));
  const refresh = async () => {
    let done = 0;
    const failed: string[] = [];
    say(`refresh asked ${clock(Date.now())}`);
    await each(picked, async (row) => {
      try {
        await get(appPath(nameOf(row), "", { refresh: "normal" }));
        done += 1;
      } catch (error) {
        failed.push(`${row.name}: “${failureOf(error).message}”`);
      }
    });
    say(`${plural(done, "app")} refreshed ${clock(Date.now())}${failed.length ? `; not ${failed.join(", ")}` : ""}`);
  };
  useKeys({ r: () => void refresh(), ...(may ? { s: open } : {}) }, picked.length > 0);
  if (!picked.length) return null;
  return (
    <section class="picked" aria-label="Picked apps">
      <b>{plural(picked.length, "app")} picked</b>
      <span class="q names">{picked.map((row) => row.name).join(", ")}</span>
      <span class="q" role="status">
        {said}
      </span>
      <span class="end">
        {may && (
          <button type="button" class="btn" onClick={open}>
            Sync… <kbd>s</kbd>
          </button>
        )}
        <button type="button" class="btn" onClick={() => void refresh()}>
          Refresh <kbd>r</kbd>
        </button>
        <button type="button" class="btn bare" onClick={() => go(withParams({ picked: null }))}>
          Clear
        </button>
      </span>
      {where.params.get("show") === "syncs" && <SyncMany rows={picked} />}
    </section>
  );
}

type Step = { plan?: Plan; failure?: Failure; asked?: string };

function SyncMany({ rows }: { rows: Row[] }) {
  const [steps, set] = useState<Record<string, Step>>({});
  const [asking, ask] = useState(false);
  const close = () => go(withParams({ show: null }), { replace: true });
  const put = (row: Row, step: Step) => set((old) => ({ ...old, [row.name]: { ...old[row.name], ...step } }));
  const read = (some: Row[]) =>
    each(some, async (row) => {
      try {
        put(row, { plan: await get<Plan>(appPath(nameOf(row), "plan")) });
      } catch (error) {
        put(row, { failure: failureOf(error) });
      }
    });
  useEffect(() => void read(rows), []);
  const ready = rows.filter((row) => steps[row.name]?.plan && !steps[row.name]?.asked && !steps[row.name]?.failure);
  const known = rows.every((row) => steps[row.name]?.plan || steps[row.name]?.failure);
  const start = async () => {
    ask(true);
    await each(ready, async (row) => {
      try {
        const { digest, prune } = steps[row.name]!.plan!;
        await send("POST", appPath(nameOf(row), "sync"), { prune, planDigest: digest });
        put(row, { asked: `asked ${clock(Date.now())}` });
      } catch (error) {
        put(row, { failure: failureOf(error) });
      }
    });
    ask(false);
  };
  const title = known ? consequences(rows, steps) : `Sync ${plural(rows.length, "app")}`;
  return (
    <Dialog label={title} close={close} wide={840}>
      <header>
        <h2>{title}</h2>
        <p class="q">
          Each app gets the plan that is shown here, or nothing: one whose plan has changed is left alone.
        </p>
      </header>
      <div class="in">
        <ol class="plan" aria-label="Plans">
          {rows.map((row) => (
            <PlanRow key={row.name} row={row} step={steps[row.name] ?? {}} />
          ))}
        </ol>
      </div>
      <footer>
        <span class="asked" role="status">
          {asking ? "asking" : ""}
        </span>
        <span class="end">
          <button type="button" class="btn" onClick={close}>
            {ready.length ? "Cancel" : "Close"}
          </button>
          <button
            type="button"
            class="btn pri"
            disabled={!known || asking || !ready.length}
            title={known ? undefined : "not before every plan was read"}
            onClick={() => void start()}
          >
            Sync {plural(ready.length, "app")}
          </button>
        </span>
      </footer>
    </Dialog>
  );
}

function counted(plan: Plan) {
  const of = (action: string) => plan.tasks.filter((task) => task.action === action);
  return {
    changes: of("apply").filter((task) => task.changed).length,
    hooks: of("hook").length,
    pruned: of("prune").length,
  };
}

/** `Sync 3 apps: 4 objects change, 1 hook runs, nothing is deleted.` */
export function consequences(rows: Row[], steps: Record<string, Step>): string {
  const sum = { changes: 0, hooks: 0, pruned: 0 };
  let apps = 0;
  for (const row of rows) {
    const plan = steps[row.name]?.plan;
    if (!plan) continue;
    apps += 1;
    const found = counted(plan);
    sum.changes += found.changes;
    sum.hooks += found.hooks;
    sum.pruned += found.pruned;
  }
  const said = [
    sum.changes ? `${plural(sum.changes, "object")} ${sum.changes === 1 ? "changes" : "change"}` : "no object changes",
    sum.hooks && `${plural(sum.hooks, "hook")} ${sum.hooks === 1 ? "runs" : "run"}`,
    sum.pruned ? `${plural(sum.pruned, "object")} ${sum.pruned === 1 ? "is" : "are"} deleted` : "nothing is deleted",
  ].filter(Boolean);
  return `Sync ${plural(apps, "app")}: ${said.join(", ")}.`;
}

function PlanRow({ row, step }: { row: Row; step: Step }) {
  const found = step.plan && counted(step.plan);
  return (
    <li class="pl many">
      <a class="l" href={appLink(row, "why", { show: "sync" })}>
        {row.name}
      </a>
      <span>
        {!step.plan && !step.failure && <span class="q">reading its plan</span>}
        {found && (
          <>
            to <span class="m">{shortRevision(step.plan!.revision || step.plan!.revisions[0])}</span>:{" "}
            {found.changes ? plural(found.changes, "object") : "no object"} changed
            {found.hooks > 0 && `, ${plural(found.hooks, "hook")}`}
            {found.pruned > 0 && `, ${plural(found.pruned, "object")} deleted`}
          </>
        )}
        {(step.plan?.problems ?? []).map((text) => (
          <span class="f c-bad" key={text}>
            <Shape look="bad" /> {text}
          </span>
        ))}
        {step.failure && (
          <Note look={step.failure.refused ? "unk" : "dec"}>
            <b>Left alone.</b> “{step.failure.message}” {step.failure.hint}
          </Note>
        )}
      </span>
      <span class="end asked">{step.asked}</span>
    </li>
  );
}
