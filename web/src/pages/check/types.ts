// What the server tells of a branch: see docs/reference/api.md, /api/v1/syncline/check.
import type { Finding, ObjectRef, Place } from "../../lib/types";

export interface FieldEdit {
  path: string;
  before?: unknown;
  after?: unknown;
  place?: Place | null;
  noise?: string;
}

export interface ObjectChange {
  key: ObjectRef;
  action: "create" | "change" | "delete" | "rename" | "transfer";
  fields?: FieldEdit[];
  place?: Place | null;
  was?: ObjectRef | null;
  other?: string;
}

export interface AppChange {
  name: string;
  action: "created" | "changed" | "deleted" | "moved" | "renamed";
  was?: string;
  cluster?: string;
  place?: Place | null;
  settings?: FieldEdit[];
  objects?: ObjectChange[];
  children?: number;
  size?: number;
  unknown?: string;
}

export interface Effect {
  kind: string;
  short: string;
  text: string;
  apps?: string[];
  place?: Place | null;
  pods?: number;
}

export interface CodeFrame {
  place: string;
  line: number;
  lines: { line: number; text: string }[];
}

export interface Preview {
  base: string;
  head: string;
  total: number;
  equal: number;
  unknown: string[];
  objects: number;
  apps: AppChange[];
  effects: Effect[];
  new: Finding[];
  fixed: Finding[];
  kept: Finding[];
  not_looked: { what: string; remedy: string; count: number }[];
  notes: string[];
  /** The lines that each new finding points at, in their order. */
  frames: (CodeFrame | null)[];
}

export interface Checked {
  repository: string;
  state: "running" | "ready";
  base: string;
  head: string;
  progress: { done: number; known: number; last: string };
  seconds: number;
  preview?: Preview;
}

export function placeText(place: Place | null | undefined): string {
  if (!place) return "";
  return place.line ? `${place.file}:${place.line}` : place.file;
}

/** `argocd/shop` is `shop`; an app of another namespace keeps it. */
export function appText(name: string): string {
  return name.startsWith("argocd/") ? name.slice("argocd/".length) : name;
}
