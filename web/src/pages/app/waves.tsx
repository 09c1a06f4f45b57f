// Phases and waves, left to right. The bar is objects done of all, never time; beneath it, who waits for what since when.
import { appPath } from "../../lib/api";
import { waveLook } from "../../lib/look";
import type { Cause, Explanation, Tree, Wave, Waves, WaveTask } from "../../lib/types";
import { withParams } from "../../lib/url";
import { useNow, useRead } from "../../lib/use";
import { clock, kinds, lasting, plural, since } from "../../lib/words";
import { exactPatch, FixView } from "../../ui/fix";
import { Failed, Outdated, Reading } from "../../ui/note";
import { Obj, Told } from "../../ui/object";
import { Shape } from "../../ui/shape";
import { HookLog } from "./hooklog";
import type { TabProps } from "./props";

export function WavesTab({
  name,
  app,
  where,
  cause,
  why,
  tree,
}: TabProps & { cause: Cause | undefined; why: Explanation | undefined; tree: Tree | undefined }) {
  const running = app.status?.operationState?.phase === "Running";
  const read = useRead<Waves>(appPath(name, "waves"), running ? 1000 : 4000);
  const now = useNow();
  if (!read.data)
    return read.failure ? (
      <Failed failure={read.failure} what="The waves" again={read.again} />
    ) : (
      <Reading what="phases and waves" />
    );
  const { waves, operation, planned, waiting, current } = read.data;
  const done = waves.reduce((sum, wave) => sum + wave.done, 0);
  const total = waves.reduce((sum, wave) => sum + wave.total, 0);
  const stuck = operation?.phase === "Running" && !!cause;
  const first = cause?.finding ?? why?.findings.find((finding) => finding.severity === "error");
  const tasks = rest(waves, waiting);
  const later = tasks.filter(({ task }) => task.state === "waiting");
  const fold = !planned && later.length > LATER + 1 && where.params.get("open") !== "later";
  const folded = fold ? later.slice(LATER) : [];
  const open = tasks.filter((one) => one.task.state !== "done" && !folded.includes(one));
  const ended = tasks.filter((one) => one.task.state === "done");
  const hook = planned
    ? undefined
    : waves
        .flatMap((wave) => wave.tasks)
        .find((task) => task.action === "hook" && (task.state === "running" || task.state === "failed"));
  const over = operation?.phase !== "Running";
  if (!waves.length)
    return (
      <p class="none">
        There is nothing to sync: this app has no objects, or they could not be rendered. The Why tab says which.
      </p>
    );
  return (
    <>
      <Outdated read={read} what="The waves" />
      <section class="gap">
        <div class="sh-row">
          <span class="q">
            {planned
              ? "Nothing runs. This is what a sync would do, in order."
              : operation?.phase === "Running"
                ? `Sync of ${(operation.revision ?? "").slice(0, 7)} runs since ${clock(operation.startedAt)}, ${since(operation.startedAt, now)}.`
                : `Last sync of ${(operation?.revision ?? "").slice(0, 7)}: ${operation?.phase} ${clock(operation?.finishedAt)}, took ${took(operation)}.`}
          </span>
        </div>
        <Phases waves={waves} />
        <ol class="track" style={{ gridTemplateColumns: columns(waves) }} aria-label="Phases and waves">
          {waves.map((wave, i) => (
            <WaveColumn
              key={`${wave.phase}${wave.wave}`}
              wave={wave}
              current={!planned && i === current}
              stuck={stuck}
              planned={planned}
            />
          ))}
        </ol>
      </section>
      <section class="wsec">
        <div class="sh-row">
          <h2>{planned ? "Plan" : operation?.phase === "Running" ? "Waiting for" : "Objects"}</h2>
          <span class="q">
            {planned
              ? plural(total, "object")
              : `${done} of ${total} objects done${waiting.length ? `, ${waiting.length} waited for` : ""}`}
          </span>
        </div>
        <ol>
          {waiting.map((one) => (
            <li class="wt" key={one.key}>
              <Shape look={stuck ? "bad" : "work"} />
              <span class="q nw">{waveOf(waves, one.key)}</span>
              <Waited waves={waves} of={one.key} />
              <span>
                <Told text={one.text} />
              </span>
              <span class="t">{one.since ? `since ${clock(one.since)}` : ""}</span>
            </li>
          ))}
          {open.map((one) => (
            <TaskRow key={one.wave.phase + one.task.key} {...one} planned={planned} over={over} />
          ))}
          {folded.length > 0 && (
            <li class="more">
              {plural(folded.length, "more object")} in {wavesOf(folded)}, not started{" "}
              <a href={withParams({ open: "later" }, where)}>Show</a>
            </li>
          )}
          {ended.map((one) => (
            <TaskRow key={one.wave.phase + one.task.key} {...one} planned={planned} over={over} />
          ))}
        </ol>
      </section>
      {hook && <HookLog name={name} task={hook} tree={tree} />}
      {first && !planned && operation?.phase !== "Succeeded" && (
        <section class="wsec">
          <div class="sh-row">
            <h2>{stuck ? "Why stuck" : operation?.phase === "Running" ? "What is wrong" : "Why it failed"}</h2>
          </div>
          <p>
            <Told text={first.message} />
          </p>
          {first.fix && <FixView fix={first.fix} options={first.options} patch={exactPatch(cause)} />}
        </section>
      )}
    </>
  );
}

/** What is waited for, as every other object is called; what is none of the sync's own is called by its key. */
function Waited({ waves, of }: { waves: Wave[]; of: string }) {
  const task = waves.flatMap((wave) => wave.tasks).find((one) => one.key === of);
  return task ? <Obj of={task} /> : <span class="obj">{of}</span>;
}

function TaskRow({ wave, task, planned, over }: { wave: Wave; task: WaveTask; planned: boolean; over: boolean }) {
  return (
    <li class={`wt${task.state === "waiting" ? " later" : ""}`}>
      <Shape look={waveLook(task.state)} label={task.state} />
      <span class="q nw">{label(wave)}</span>
      <Obj of={task} />
      <span>{told(task, planned, over)}</span>
      <span class="t">{task.state === "done" ? "" : task.hookPhase}</span>
    </li>
  );
}

/** So many of those that have not started are named; the others are counted. */
const LATER = 4;

/** `waves 2, 3 and 5`. */
function wavesOf(some: { wave: Wave }[]): string {
  const names = [...new Set(some.map(({ wave }) => label(wave)))];
  const numbers = names.map((name) => name.replace(/^wave /, ""));
  if (names.length === 1) return names[0]!;
  return `${names.every((name) => name.startsWith("wave ")) ? "waves " : ""}${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

const PHASES = ["PreSync", "Sync", "PostSync", "SyncFail"];

function columns(waves: Wave[]): string {
  return waves.map(() => "minmax(96px, 1fr)").join(" ");
}

function Phases({ waves }: { waves: Wave[] }) {
  const found = PHASES.map((phase) => ({ phase, n: waves.filter((wave) => wave.phase === phase).length })).filter(
    ({ n }) => n,
  );
  return (
    <div
      class="ph"
      style={{ gridTemplateColumns: found.map(({ n }) => `minmax(0, ${n}fr)`).join(" ") }}
      aria-hidden="true"
    >
      {found.map(({ phase, n }) => (
        <span key={phase}>
          <b>{phase}</b> {phase === "Sync" && plural(n, "wave")}
        </span>
      ))}
    </div>
  );
}

function label(wave: Wave): string {
  return wave.phase === "Sync" ? `wave ${String(wave.wave).replace("-", "−")}` : wave.phase;
}

const NAMES = 4;

function WaveColumn({
  wave,
  current,
  stuck,
  planned,
}: {
  wave: Wave;
  current: boolean;
  stuck: boolean;
  planned: boolean;
}) {
  const state = planned
    ? "later"
    : wave.state === "done"
      ? "done"
      : current || wave.state === "failed"
        ? "cur"
        : "later";
  const tone = state === "cur" ? (stuck || wave.state === "failed" ? "" : " calm") : "";
  const hooks = wave.tasks.filter((task) => task.action === "hook").length;
  return (
    <li class={`wv ${state}${tone}`} aria-current={current ? "step" : undefined}>
      <span class="p">
        <b>{wave.phase === "Sync" ? label(wave) : hooks ? plural(hooks, "hook") : label(wave)}</b>
        <span>
          {wave.done} of {wave.total}
        </span>
      </span>
      <span class="bar">
        <i style={{ "--w": `${wave.total ? (100 * wave.done) / wave.total : 0}%` }} />
      </span>
      <ul>
        {inShort(wave).map((one) => (
          <li key={one.text}>
            <Shape
              look={planned ? "unk" : state === "cur" && stuck && one.state === "running" ? "bad" : waveLook(one.state)}
              label={planned ? "planned" : one.state}
            />
            <span title={one.text}>{one.text}</span>
          </li>
        ))}
      </ul>
      {state === "cur" && stuck && <span class="tag bad">stuck</span>}
    </li>
  );
}

function inShort(wave: Wave): { text: string; state: WaveTask["state"] }[] {
  if (wave.tasks.length <= NAMES)
    return wave.tasks.map((task) => ({
      text: new Set(wave.tasks.map((one) => one.kind)).size > 1 ? `${task.kind} ${task.name}` : task.name,
      state: task.state,
    }));
  const groups = new Map<string, { kind: string; state: WaveTask["state"]; n: number }>();
  for (const task of wave.tasks) {
    const key = `${task.kind} ${task.state}`;
    const group = groups.get(key);
    if (group) group.n++;
    else groups.set(key, { kind: task.kind, state: task.state, n: 1 });
  }
  const order = { failed: 0, running: 1, waiting: 2, done: 3 };
  const all = [...groups.values()].sort((a, b) => order[a.state] - order[b.state]);
  const shown = all.slice(0, NAMES).map((group) => ({ text: kinds(group.n, group.kind), state: group.state }));
  const more = all.slice(NAMES).reduce((sum, group) => sum + group.n, 0);
  return more ? [...shown, { text: `${more} more`, state: all.at(-1)!.state }] : shown;
}

function waveOf(waves: Wave[], key: string): string {
  const wave = waves.find((one) => one.tasks.some((task) => task.key === key));
  return wave ? label(wave) : "";
}

function rest(waves: Wave[], waiting: Waves["waiting"]): { wave: Wave; task: WaveTask }[] {
  const named = new Set(waiting.map((one) => one.key));
  const all = waves
    .flatMap((wave) => wave.tasks.map((task) => ({ wave, task })))
    .filter(({ task }) => !named.has(task.key));
  const order = { failed: 0, running: 1, waiting: 2, done: 3 };
  return all.sort((a, b) => order[a.task.state] - order[b.task.state]).slice(0, 60);
}

function told(task: WaveTask, planned: boolean, over: boolean): string {
  if (task.message) return task.message;
  if (planned) return task.action === "keep" ? "kept as it is" : task.action;
  if (task.state === "waiting")
    return over ? "not started: a wave before it failed" : "not started; waits for the waves before it";
  return task.status || task.state;
}

function took(operation: Waves["operation"]): string {
  if (!operation?.startedAt || !operation.finishedAt) return "";
  return lasting((Date.parse(operation.finishedAt) - Date.parse(operation.startedAt)) / 1000);
}
