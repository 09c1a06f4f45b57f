// The top bar: where one is, find, what is read and when.
import { useEffect, useState } from "preact/hooks";
import { useFleet } from "../lib/fleet";
import { switchTheme } from "../lib/theme";
import { type Where, withParams } from "../lib/url";
import { useNow } from "../lib/use";
import { clock } from "../lib/words";

const MAIN: [string, string][] = [
  ["/fleet", "Fleet"],
  ["/causes", "Causes"],
  ["/check", "Check"],
  ["/applicationsets", "ApplicationSets"],
  ["/projects", "Projects"],
  ["/clusters", "Clusters"],
  ["/repositories", "Repositories"],
  ["/settings", "Settings"],
];
const ALWAYS = 4;
const APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

function isHere(to: string, path: string): boolean {
  if (to === "/fleet") return path === "/" || path.startsWith("/fleet") || path.startsWith("/apps");
  return path.startsWith(to);
}

export function TopBar({ where }: { where: Where }) {
  const state = useFleet();
  const [menu, open] = useState(false);
  // another page closes the menu
  useEffect(() => open(false), [where.path]);
  const causes = state.head?.causes.length ?? 0;
  const links = (some: [string, string][], opt = "") =>
    some.map(([to, label]) => (
      <a key={to} href={to} class={opt} aria-current={isHere(to, where.path) ? "page" : undefined}>
        {label}
        {to === "/causes" && causes > 0 && <span class="n">{causes}</span>}
      </a>
    ));
  return (
    <header class="top">
      <a class="mark" href="/fleet" aria-label="Syncline, to the fleet">
        <svg viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="1.8" aria-hidden="true">
          <path d="M1 3.5c4 0 4 5 8 5s4-5 8-5M1 8c4 0 4 5 8 5s4-5 8-5M1 12.5c4 0 4 4 8 4s4-4 8-4" />
        </svg>
        <span class="hide-s">Syncline</span>
      </a>
      <nav class="nav" aria-label="Main">
        {links(MAIN.slice(0, ALWAYS))}
        {links(MAIN.slice(ALWAYS), "opt")}
      </nav>
      <button
        type="button"
        class="btn bare sm menu"
        aria-expanded={menu}
        aria-controls="menu"
        onClick={() => open(!menu)}
      >
        <span class="only-s">Menu</span>
        <span class="hide-s">More</span>
      </button>
      {menu && (
        <nav class="drop" id="menu" aria-label="More pages">
          {links(MAIN)}
        </nav>
      )}
      <a class="find" href={withParams({ show: "find" }, where)} aria-keyshortcuts="Meta+K Control+K">
        <span>Find app, object, cause, command</span> <kbd>{APPLE ? "⌘K" : "Ctrl K"}</kbd>
      </a>
      <div class="ctx">
        <LiveMark />
        <button
          type="button"
          class="btn bare sm thm"
          onClick={switchTheme}
          aria-label="Theme: switch between light and dark"
        >
          Theme
        </button>
      </div>
    </header>
  );
}

function LiveMark() {
  const state = useFleet();
  const now = useNow();
  if (state.lostAt && now - state.lostAt > 1500) return <span class="c-bad">not live since {clock(state.lostAt)}</span>;
  if (state.head?.trouble) return <span class="c-bad">the cluster does not answer</span>;
  return <span>{state.readAt ? `live, read ${clock(state.readAt)}` : "reading"}</span>;
}
