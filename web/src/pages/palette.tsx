// Find: apps, objects, causes, pages and commands; each result carries its state.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { query } from "../lib/api";
import { useFleet } from "../lib/fleet";
import { healthLook, type Look, lookOf, severityLook, stateOf } from "../lib/look";
import { switchTheme } from "../lib/theme";
import type { FoundObject, FoundObjects } from "../lib/types";
import { appLink, go, type Where, withParams } from "../lib/url";
import { useRead } from "../lib/use";
import { refKey, refText } from "../lib/words";
import { Dialog } from "../ui/dialog";
import { Shape } from "../ui/shape";

interface Option {
  key: string;
  look?: Look;
  label: string;
  detail: string;
  end?: string;
  to?: string;
  act?: () => void;
}

const PAGES: [string, string][] = [
  ["Fleet", "/fleet"],
  ["Causes", "/causes"],
  ["Check a branch", "/check"],
  ["ApplicationSets", "/applicationsets"],
  ["Projects", "/projects"],
  ["Clusters", "/clusters"],
  ["Repositories", "/repositories"],
  ["Settings with their origin", "/settings"],
  ["Keyboard", "?show=keys"],
];
const MOST = 6;

export function Palette({ where, close }: { where: Where; close: () => void }) {
  const state = useFleet();
  const [text, set] = useState(where.params.get("find") ?? "");
  const [at, move] = useState(0);
  const objects = useObjects(text.trim());
  const groups = useMemo(
    () => found(text.trim().toLowerCase(), state, where, objects),
    [text, state.turn, where.path, objects],
  );
  const all = groups.flatMap(([, , options]) => options);
  const chosen = all[Math.min(at, all.length - 1)];
  const open = (option: Option | undefined, apart = false) => {
    if (!option) return;
    if (option.to && apart) window.open(option.to, "_blank");
    else if (option.to)
      go(option.to.startsWith("?") ? withParams({ show: "keys" }) : option.to, { replace: option.to.startsWith("?") });
    else {
      close();
      option.act?.();
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(Math.min(all.length - 1, at + 1));
    else if (event.key === "ArrowUp") move(Math.max(0, at - 1));
    else if (event.key === "Enter") open(chosen, event.metaKey || event.ctrlKey);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Dialog label="Find" close={close} kind="pal">
      <input
        value={text}
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={chosen ? `o-${chosen.key}` : undefined}
        aria-label="Find app, object, cause, page or command"
        placeholder="Find app, object, cause, page or command"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          set(event.currentTarget.value);
          move(0);
        }}
        onKeyDown={press}
      />
      <div id="found" role="listbox" aria-label="Found">
        {groups.map(([title, n, options]) => (
          <div role="group" aria-label={title} key={title}>
            <div class="gh" aria-hidden="true">
              {title} {n}
            </div>
            {options.map((option) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field above
              <div
                key={option.key}
                id={`o-${option.key}`}
                class="opt-r"
                role="option"
                aria-selected={option === chosen}
                tabIndex={-1}
                onClick={(event) => open(option, event.metaKey || event.ctrlKey)}
              >
                {option.look ? <Shape look={option.look} /> : <span />}
                <span>{marked(option.label, text.trim())}</span>
                <span class="d">{option.detail}</span>
                <span class="q">{option.end}</span>
              </div>
            ))}
          </div>
        ))}
        {!all.length && (
          <p class="none">Nothing is called “{text}”. Apps, objects, causes, pages and commands were searched.</p>
        )}
      </div>
      <footer>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <button
          type="button"
          class="btn bare sm end"
          onClick={() => go(withParams({ show: "keys" }), { replace: true })}
        >
          <kbd>?</kbd> all keys
        </button>
      </footer>
    </Dialog>
  );
}

function marked(label: string, text: string): ComponentChildren {
  const i = text ? label.toLowerCase().indexOf(text.toLowerCase()) : -1;
  if (i < 0) return label;
  return (
    <>
      {label.slice(0, i)}
      <mark>{label.slice(i, i + text.length)}</mark>
      {label.slice(i + text.length)}
    </>
  );
}

/** Ask the server for objects, a moment after the last letter. */
function useObjects(text: string): FoundObjects | undefined {
  const [asked, ask] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => ask(text), 150);
    return () => clearTimeout(timer);
  }, [text]);
  const wanted = asked.length > 1 && asked === text;
  return useRead<FoundObjects>(wanted ? `/api/v1/syncline/objects${query({ search: text, limit: MOST })}` : null).data;
}

function objectOption(one: FoundObject): Option {
  const label = refText(one);
  return {
    key: `o-${label}-${one.app.namespace}-${one.app.name}`,
    look: one.status === "OutOfSync" && healthLook(one.health) === "ok" ? "dec" : healthLook(one.health),
    label,
    detail: `in ${one.app.name}`,
    end: [one.health, one.status].filter((word) => word && word !== "Synced" && word !== "Healthy").join(", "),
    to: appLink(one.app, "why", { node: refKey(one), open: "all" }),
  };
}

function found(
  text: string,
  state: ReturnType<typeof useFleet>,
  where: Where,
  objects: FoundObjects | undefined,
): [string, number | "", Option[]][] {
  const has = (...words: string[]) => words.some((word) => word.toLowerCase().includes(text));
  const causes = state.head?.causes ?? [];
  const ranks = new Map(causes.map((cause) => [cause.id, cause.rank]));
  const rows = [...state.rows.values()]
    .filter((row) => has(row.name))
    .sort((a, b) => a.name.indexOf(text) - b.name.indexOf(text) || a.name.localeCompare(b.name));
  const apps = rows.slice(0, text ? MOST : 4).map(
    (row): Option => ({
      key: `a-${row.namespace}-${row.name}`,
      look: lookOf(row),
      label: row.name,
      detail: row.sentence || stateOf(row),
      end: row.causes.map((id) => `#${ranks.get(id) ?? "?"}`).join(" "),
      to: appLink(row),
    }),
  );
  const told = causes
    .filter((cause) => has(`#${cause.rank}`, cause.title, cause.name, cause.code, cause.thing))
    .map(
      (cause): Option => ({
        key: `c-${cause.id}`,
        look: severityLook(cause.severity),
        label: cause.title,
        detail: "",
        end: `#${cause.rank}`,
        to: `/causes/${cause.id}`,
      }),
    );
  const pages = PAGES.filter(([name]) => has(name)).map(
    ([name, to]): Option => ({ key: `p-${to}`, label: name, detail: "page", to }),
  );
  const commands: Option[] = [];
  const here = /^\/apps\/([^/]+)/.exec(where.path)?.[1];
  const subject = (text && rows[0]) || [...state.rows.values()].find((row) => row.name === here);
  if (subject) {
    commands.push({
      key: "k-why",
      label: `Why is ${subject.name} ${stateOf(subject)}?`,
      detail: "the chain of evidence",
      end: "w",
      to: appLink(subject),
    });
    commands.push({
      key: "k-sync",
      label: `Sync ${subject.name}…`,
      detail: "plan first",
      end: "s",
      to: appLink(subject, "why", { show: "sync" }),
    });
    commands.push({
      key: "k-diff",
      label: `What differs in ${subject.name}?`,
      detail: "Git against live, by field",
      end: "d",
      to: appLink(subject, "diff"),
    });
  }
  if (has("theme light dark"))
    commands.push({ key: "k-theme", label: "Light or dark", detail: "theme", end: "t", act: switchTheme });
  const groups: [string, number | "", Option[]][] = [
    ["Apps", rows.length, apps],
    ["Objects", objects?.total ?? 0, (objects?.items ?? []).map(objectOption)],
    ["Causes", told.length, told.slice(0, MOST)],
    ["Commands", "", commands],
    ["Pages", "", pages],
  ];
  return groups.filter(([, , options]) => options.length);
}
