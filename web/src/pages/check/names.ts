// Places and apps of a branch as the page writes them.
import type { Place } from "../../lib/types";

export function placeText(place: Place | null | undefined): string {
  if (!place) return "";
  return place.line ? `${place.file}:${place.line}` : place.file;
}

/** `argocd/shop` is `shop`; an app of another namespace keeps it. */
export function appText(name: string): string {
  return name.startsWith("argocd/") ? name.slice("argocd/".length) : name;
}
