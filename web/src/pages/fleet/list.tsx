// The apps, grouped. Values change in place; rows come, go and move only when nobody is at the list, or when asked.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../../lib/keys";
import type { FleetCause, Row } from "../../lib/types";
import { appLink, go, type Where, withParams } from "../../lib/url";
import { clock, count, plural } from "../../lib/words";
import { type Item, VirtualList } from "../../ui/virtual";
import { type Asked, arranged, type Group, pending, ranksOf, sizes } from "./arrange";
import { MOST, Picked, pickedOf, toggled } from "./picked";
import { AppRow } from "./row";

interface Props {
  rows: ReadonlyMap<string, Row>;
  turn: number;
  causes: FleetCause[];
  asked: Asked;
  where: Where;
  stale: boolean;
  now: number;
}

type Shown = Item &
  (
    | { kind: "group"; group: Group; folded: boolean }
    | { kind: "row"; row: string; n: number }
    | { kind: "more"; group: Group; rest: string[] }
  );

const QUIET = 10_000;
const FIRST_ROWS = 10;

export function AppList({ rows, turn, causes, asked, where, stale, now }: Props) {
  const ranks = useMemo(() => ranksOf(causes), [causes]);
  const box = useRef<HTMLDivElement>(null);
  const touched = useRef(0);
  const kept = useRef<{ ask: string; groups: Group[]; at: number }>({ ask: "", groups: [], at: 0 });
  const [, take] = useState(0);
  const ask = JSON.stringify(asked);
  // a turn means that the rows have changed
  const next = useMemo(() => arranged(rows.values(), asked, ranks), [turn, ask, ranks]);
  const changes = pending(kept.current.groups, next);
  const changed = changes.added + changes.gone + changes.moved;
  const reading = Date.now() - touched.current < QUIET;
  if (kept.current.ask !== ask || !reading) kept.current = { ask, groups: next, at: Date.now() };
  const groups = kept.current.groups;
  const update = () => {
    kept.current = { ask, groups: next, at: Date.now() };
    take((n) => n + 1);
  };

  useEffect(() => {
    const here = () => {
      touched.current = Date.now();
    };
    const scrolled = () => {
      if (scrollY > 0) here();
    };
    const list = box.current;
    list?.addEventListener("pointermove", here);
    list?.addEventListener("focusin", here);
    addEventListener("scroll", scrolled, { passive: true });
    return () => {
      list?.removeEventListener("pointermove", here);
      list?.removeEventListener("focusin", here);
      removeEventListener("scroll", scrolled);
    };
  }, []);

  const open = new Set((where.params.get("open") ?? "").split(",").filter(Boolean));
  const folded = new Set((where.params.get("fold") ?? "").split(",").filter(Boolean));
  const phone = innerWidth <= 720;
  const items = useMemo(() => laidOut(groups, open, folded, phone), [groups, where.params.toString(), phone]);
  const order = useMemo(() => items.flatMap((item) => (item.kind === "row" ? [item.row] : [])), [items]);
  const selected = where.params.get("sel");
  const picked = pickedOf(where);
  const total = groups.reduce((sum, group) => sum + group.keys.length, 0);
  const all = useMemo(() => sizes(rows.values(), asked.group, ranks), [turn, asked.group, ranks]);
  const beside = useMemo(() => besideOf(rows), [turn]);
  const longest = useMemo(() => longestName(groups), [groups]);

  const select = (key: string | undefined) => {
    touched.current = Date.now();
    if (key) go(withParams({ sel: key }), { replace: true });
  };
  const step = (by: number) => {
    const at = selected ? order.indexOf(selected) : -1;
    select(order[Math.min(order.length - 1, Math.max(0, at + by))]);
  };
  const groupAt = () => groups.findIndex((group) => selected && group.keys.includes(selected));
  const jump = (by: number) => {
    const to = groups[Math.min(groups.length - 1, Math.max(0, groupAt() + by))];
    select(to?.keys[0]);
  };
  const fold = (name: string, on: boolean) => go(withParams({ fold: listed(folded, name, on) }));
  const foldHere = (on: boolean) => {
    const group = groups[Math.max(0, groupAt())];
    if (group) fold(group.name, on);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    "[": () => jump(-1),
    "]": () => jump(1),
    h: () => foldHere(true),
    l: () => foldHere(false),
    u: update,
    x: () => {
      if (selected && (picked.length < MOST || picked.includes(selected)))
        go(withParams({ picked: toggled(picked, selected) }), { replace: true });
    },
    Enter: () => {
      const row = selected ? rows.get(selected) : undefined;
      if (row) go(appLink(row));
    },
  });

  const minute = Math.floor(now / 10_000) * 10_000;
  const heading = (group: Group, isFolded: boolean) => (
    <GroupHead
      group={group}
      rows={rows}
      ranks={ranks}
      folded={isFolded}
      all={asked.status === "need-you" ? all.get(group.name) : undefined}
      fold={() => fold(group.name, !isFolded)}
    />
  );
  return (
    <div ref={box} class={stale ? "stale" : ""} style={{ "--nm": longest }}>
      {changed > 0 && reading && (
        <div class="more" role="status">
          {plural(changed, "app")} changed since {clock(kept.current.at)}: {words(changes)}
          <button type="button" class="btn sm" onClick={update}>
            Update list
          </button>
          <span class="hide-s">
            or press <kbd>u</kbd>
          </span>
        </div>
      )}
      <VirtualList
        items={items}
        label={`${count(total)} apps`}
        focus={selected}
        sticky={
          groups.some((group) => group.name)
            ? (item) => (item.kind === "group" ? heading(item.group, item.folded) : null)
            : undefined
        }
        draw={(item) => {
          if (item.kind === "group") return heading(item.group, item.folded);
          if (item.kind === "more") return <More item={item} rows={rows} ranks={ranks} where={where} open={open} />;
          const row = rows.get(item.row);
          return row ? (
            <AppRow
              row={row}
              ranks={ranks}
              selected={item.row === selected}
              picked={picked.includes(item.row)}
              minute={minute}
              stale={stale}
              beside={beside}
            />
          ) : (
            <div class="row q">
              <span />
              <span class="nm">{item.row.split("/")[1]}</span>
              <span class="wh">is gone</span>
            </div>
          );
        }}
      />
      <Picked rows={rows} where={where} />
    </div>
  );
}

function listed(names: Set<string>, name: string, on: boolean): string {
  const found = new Set(names);
  if (on) found.add(name);
  else found.delete(name);
  return [...found].join(",");
}

function words({ added, gone, moved }: { added: number; gone: number; moved: number }): string {
  return [added && `${added} new here`, gone && `${gone} no longer here`, moved && `${moved} in another group`]
    .filter(Boolean)
    .join(", ");
}

function laidOut(groups: Group[], open: Set<string>, folded: Set<string>, phone: boolean): Shown[] {
  const items: Shown[] = [];
  const several = groups.length > 1;
  let n = 0;
  for (const group of groups) {
    const isFolded = folded.has(group.name);
    if (group.name)
      items.push({ kind: "group", key: `group:${group.name}`, height: phone ? 44 : 32, group, folded: isFolded });
    if (isFolded) {
      n += group.keys.length;
      continue;
    }
    const shown =
      several && !open.has(group.name) && group.keys.length > FIRST_ROWS + 2
        ? group.keys.slice(0, FIRST_ROWS)
        : group.keys;
    for (const [i, key] of shown.entries())
      items.push({ kind: "row", key, row: key, n: n + i + 1, height: phone ? 76 : 32 });
    n += group.keys.length;
    if (shown.length < group.keys.length)
      items.push({
        kind: "more",
        key: `more:${group.name}`,
        height: phone ? 56 : 32,
        group,
        rest: group.keys.slice(shown.length),
      });
  }
  return items;
}

interface HeadProps {
  group: Group;
  rows: ReadonlyMap<string, Row>;
  ranks: ReadonlyMap<string, number>;
  folded: boolean;
  /** How many there are in all, where only those that need somebody are listed. */
  all: number | undefined;
  fold: () => void;
}

function GroupHead({ group, rows, ranks, folded, all, fold }: HeadProps) {
  return (
    <div class="grp">
      <button
        type="button"
        class="tw"
        aria-expanded={!folded}
        aria-label={`${folded ? "Unfold" : "Fold"} ${group.name}`}
        onClick={fold}
      >
        {folded ? "▸" : "▾"}
      </button>
      <b>{group.name}</b>
      <span class="q">
        {all === undefined
          ? plural(group.keys.length, "app")
          : `${count(group.keys.length)} of ${count(all)} ${group.keys.length === 1 ? "needs" : "need"} you`}
      </span>
      <span class="end opt">{byCause(group.keys, rows, ranks)}</span>
    </div>
  );
}

const LONGEST = 36;

/** How wide the column of names is, in characters: a name is cut only where it is longer than any usual one. */
function longestName(groups: Group[]): number {
  let longest = 16;
  for (const group of groups)
    for (const key of group.keys) longest = Math.max(longest, key.length - key.indexOf("/") - 1);
  return Math.min(LONGEST, longest);
}

function besideOf(rows: ReadonlyMap<string, Row>): (row: Row) => string {
  const projects = new Set<string>();
  for (const row of rows.values()) projects.add(row.project);
  return projects.size > 1 ? (row) => row.project : (row) => row.destinationNamespace;
}

export function byCause(keys: string[], rows: ReadonlyMap<string, Row>, ranks: ReadonlyMap<string, number>): string {
  const counts = new Map<number, number>();
  for (const key of keys) {
    const rank = Math.min(...(rows.get(key)?.causes ?? []).map((id) => ranks.get(id) ?? 999));
    if (Number.isFinite(rank) && rank < 999) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  const order = [...counts].sort((a, b) => a[0] - b[0]);
  const told = order.slice(0, 4).map(([rank, n]) => `${n} by #${rank}`);
  return told.join(", ") + (order.length > 4 ? " …" : "");
}

interface MoreProps {
  item: { group: Group; rest: string[] };
  rows: ReadonlyMap<string, Row>;
  ranks: ReadonlyMap<string, number>;
  where: Where;
  open: Set<string>;
}

function More({ item, rows, ranks, where, open }: MoreProps) {
  const by = byCause(item.rest, rows, ranks);
  return (
    <div class="more">
      {count(item.rest.length)} more in {item.group.name}
      {by && `: ${by}`} <a href={withParams({ open: listed(open, item.group.name, true) }, where)}>Show all</a>
    </div>
  );
}
