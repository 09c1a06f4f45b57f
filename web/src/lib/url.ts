// The URL is the state: reading it, and changing it so that Back undoes the last step.
import { useEffect, useState } from "preact/hooks";

const CHANGED = "syncline:url";

export interface Where {
  path: string;
  params: URLSearchParams;
}

export function here(): Where {
  return { path: location.pathname, params: new URLSearchParams(location.search) };
}

export function useWhere(): Where {
  const [where, set] = useState(here);
  useEffect(() => {
    const look = () => set(here());
    addEventListener("popstate", look);
    addEventListener(CHANGED, look);
    return () => {
      removeEventListener("popstate", look);
      removeEventListener(CHANGED, look);
    };
  }, []);
  return where;
}

export function go(to: string, options: { replace?: boolean } = {}): void {
  const pathBefore = location.pathname;
  if (to === location.pathname + location.search) return;
  if (options.replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  dispatchEvent(new Event(CHANGED));
  if (location.pathname !== pathBefore) scrollTo(0, 0);
}

/** This page's address with some parameters changed; null or "" takes one away. */
export function withParams(changes: Record<string, string | null>, where: Where = here()): string {
  const params = new URLSearchParams(where.params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return where.path + (text ? `?${text}` : "");
}

/** Follow links of this page without loading it again; everything else is the browser's. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  if (link.origin !== location.origin || link.pathname.startsWith("/api/") || link.pathname.startsWith("/auth/"))
    return;
  if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
  event.preventDefault();
  go(link.pathname + link.search);
}

export function appLink(
  app: { name: string; namespace?: string },
  tab = "why",
  params: Record<string, string> = {},
): string {
  const found = new URLSearchParams(params);
  if (app.namespace && app.namespace !== "argocd") found.set("ns", app.namespace);
  const text = found.toString();
  return `/apps/${encodeURIComponent(app.name)}/${tab}${text ? `?${text}` : ""}`;
}
