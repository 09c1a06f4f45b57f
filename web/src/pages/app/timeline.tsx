// What happened, on one axis with a lane each for Git, syncs, live edits and health; the same as a list beneath.
import { useEffect } from "preact/hooks";
import { appPath } from "../../lib/api";
import { severityLook } from "../../lib/look";
import type { AppTimeline, TimelineEntry } from "../../lib/types";
import { useRead } from "../../lib/use";
import { clock, moment, plural, shortRevision } from "../../lib/words";
import { Failed, Outdated, Reading } from "../../ui/note";
import { Told } from "../../ui/object";
import { Seg } from "../../ui/seg";
import { Shape } from "../../ui/shape";
import type { TabProps } from "./props";

const LANES: [TimelineEntry["lane"], string][] = [
  ["git", "Git"],
  ["sync", "Sync"],
  ["live", "Live edits"],
  ["health", "Health"],
  ["event", "Events"],
];
const RANGES: [string, string, number][] = [
  ["all", "all", 0],
  ["1h", "1 h", 3600],
  ["24h", "24 h", 86_400],
  ["4d", "4 d", 345_600],
  ["30d", "30 d", 2_592_000],
];

export function TimelineTab({ name, where, version }: TabProps & { version: number }) {
  const read = useRead<AppTimeline>(appPath(name, "timeline", { limit: 200 }));
  // a changed app has a longer story
  useEffect(() => {
    if (version > 1) read.again();
  }, [version]);
  const range = where.params.get("range") ?? "all";
  if (!read.data)
    return read.failure ? (
      <Failed failure={read.failure} what="The timeline" again={read.again} />
    ) : (
      <Reading what="commits, syncs, edits and Events" />
    );
  const seconds = RANGES.find(([key]) => key === range)?.[2] ?? 0;
  const to = Math.max(Date.now(), Date.parse(read.data.to) || 0);
  const entries = read.data.entries
    .map(asOurs)
    .filter((one) => !seconds || Date.parse(one.time) >= to - seconds * 1000);
  const first = Math.min(...entries.map((one) => Date.parse(one.time)), to - 1000);
  const from = seconds ? to - seconds * 1000 : first - (to - first) * 0.03;
  const count = (lane: string) => entries.filter((one) => one.lane === lane).length;
  const key = entries.findLast((one) => one.severity === "error" && one.lane === "health");
  return (
    <>
      <section class="ftab">
        <Outdated read={read} what="The timeline" />
        <div class="sh-row">
          <h2>What happened</h2>
          <span class="q">
            {plural(count("git"), "commit")},{" "}
            {plural(
              read.data.entries.filter((one) => one.lane === "sync" && /started/.test(one.title)).length,
              "sync",
              "syncs",
            )}
            , {plural(count("live"), "live edit")}
          </span>
          <span class="end">
            <Seg
              name="range"
              value={range}
              usual="all"
              where={where}
              options={RANGES.map(([key, label]) => [key, label])}
            />
          </span>
        </div>
        {entries.length > 0 && <Axis entries={entries} from={from} to={to} key1={key} />}
      </section>
      <section class="gap">
        {!entries.length && <p class="none">Nothing is known to have happened in this time.</p>}
        <ol class="evs">
          {entries.map((one, i) => (
            <li class={`evl${one === key ? " key" : ""}`} key={i}>
              <time dateTime={one.time}>{moment(one.time)}</time>
              <Mark entry={one} />
              <span>
                <b>{one.title}</b>
                {one.text && (
                  <>
                    : <Told text={one.text} />
                  </>
                )}
              </span>
              <span class="end">{[one.by, shortRevision(one.revision)].filter(Boolean).join(", ")}</span>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

/** What the controller writes belongs to its syncs, a live edit is somebody else's; the health is the app's alone. */
function asOurs(entry: TimelineEntry): TimelineEntry {
  if (entry.lane === "live" && entry.by === "argocd-controller") return { ...entry, lane: "sync" };
  return entry.lane === "health" && entry.kind !== "health" ? { ...entry, lane: "event" } : entry;
}

function Mark({ entry }: { entry: TimelineEntry }) {
  if (entry.severity !== "info") return <Shape look={severityLook(entry.severity)} label={entry.severity} />;
  if (entry.lane === "live") return <Shape look="dec" label="live edit" />;
  return <i class={entry.lane === "git" ? "c" : "s"} role="img" aria-label={entry.lane} />;
}

const STEPS = [1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];
const DAY = 86_400;

/** Round times for the axis, at most six of them, in the reader's own time. */
export function ticksOf(from: number, to: number): { every: number; at: number[] } {
  const every = STEPS.find((step) => (to - from) / 1000 / step <= 6) ?? STEPS.at(-1)!;
  const away = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - away) / (every * 1000)) * every * 1000 + away;
  const at: number[] = [];
  for (let tick = first; tick < to; tick += every * 1000) at.push(tick);
  return { every, at };
}

function tickText(tick: number, every: number): string {
  if (every >= DAY) return moment(new Date(tick).toISOString()).split(" ").slice(0, 2).join(" ");
  return every < 60 ? clock(tick) : clock(tick).slice(0, 5);
}

const ROOM = 14;

function Axis({
  entries,
  from,
  to,
  key1,
}: {
  entries: TimelineEntry[];
  from: number;
  to: number;
  key1: TimelineEntry | undefined;
}) {
  const at = (time: string | number) =>
    (100 * ((typeof time === "string" ? Date.parse(time) : time) - from)) / (to - from || 1);
  const { every, at: ticks } = ticksOf(from, to);
  const lanes = LANES.filter(([lane]) => lane !== "event" || entries.some((one) => one.lane === lane));
  return (
    <div
      class="tl"
      role="img"
      aria-label={`Commits, syncs, live edits and health from ${moment(new Date(from).toISOString())} to now; the same is listed below`}
    >
      <div class="lane">
        <b />
        {ticks.map((tick) => (
          <span class="d" key={tick} style={{ left: `${at(tick)}%` }}>
            {tickText(tick, every)}
          </span>
        ))}
      </div>
      {lanes.map(([lane, label]) => (
        <div class="lane" key={lane}>
          <b>{label}</b>
          {lane === "health" ? (
            <HealthBars entries={entries.filter((one) => one.lane === lane)} at={at} />
          ) : (
            <Marks entries={entries.filter((one) => one.lane === lane)} at={at} lane={lane} />
          )}
        </div>
      ))}
      {key1 && <div class="tie" style={{ left: `calc(var(--lab) + (100% - var(--lab)) * ${at(key1.time) / 100})` }} />}
      <div class="now" style={{ left: "calc(100% - 2px)" }}>
        <span>{clock(to).slice(0, 5)}</span>
      </div>
    </div>
  );
}

function Marks({ entries, at, lane }: { entries: TimelineEntry[]; at: (time: string) => number; lane: string }) {
  const oldestFirst = [...entries].reverse();
  let free = -1;
  return (
    <>
      {oldestFirst.map((one, i) => {
        const x = at(one.time);
        const next = oldestFirst[i + 1];
        const fits = x >= free && (!next || at(next.time) - x > ROOM) && x < 100 - ROOM;
        if (fits) free = x + ROOM;
        const kind = lane === "live" ? "hand" : lane === "git" ? "" : "sq on";
        return (
          <span key={i}>
            <i
              class={`ev ${kind}${one.severity === "error" ? " bad" : ""}`}
              style={{ left: `${x}%` }}
              title={one.title}
            />
            {fits && (
              <span class="lb" style={{ left: `${x}%` }}>
                {one.title}
              </span>
            )}
          </span>
        );
      })}
    </>
  );
}

function HealthBars({ entries, at }: { entries: TimelineEntry[]; at: (time: string) => number }) {
  const oldestFirst = [...entries].reverse();
  return (
    <>
      {oldestFirst.map((one, i) => {
        const start = Math.max(0, at(one.time));
        const next = oldestFirst[i + 1];
        const end = next ? at(next.time) : 100;
        const bad = one.severity === "error";
        return (
          <span
            key={i}
            class={`hb ${bad ? "bad" : "ok"}`}
            style={{ left: `${start}%`, width: `${Math.max(0.4, end - start)}%` }}
            title={one.title}
          >
            {bad && <Shape look="bad" />} {one.title}
          </span>
        );
      })}
    </>
  );
}
