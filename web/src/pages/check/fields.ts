// Changes field by field, equal ones of several apps joined and counted.
import type { AppChange, ObjectRef } from "../../lib/types";
import { appText, placeText } from "./names";

export interface FieldRow {
  mark: "~" | "+" | "−" | "→";
  apps: string[];
  object: ObjectRef | null;
  objects: number;
  path: string;
  before?: unknown;
  after?: unknown;
  say: string;
  place: string;
}

const MARKS = { create: "+", change: "~", delete: "−", rename: "→", transfer: "→" } as const;
const SAID: Record<string, string> = {
  created: "new app",
  deleted: "the app goes",
  moved: "moved",
  renamed: "renamed",
};

/** Return one row for each change that reads differently; those of most apps first. */
export function fieldRows(apps: AppChange[]): { rows: FieldRow[]; fields: number; noise: number } {
  const found = new Map<string, FieldRow>();
  let fields = 0;
  let noise = 0;
  const add = (row: FieldRow) => {
    const kind = row.object?.kind ?? "";
    const key = JSON.stringify([row.mark, kind, row.path, row.before, row.after, row.say]);
    const same = found.get(key);
    if (!same) return void found.set(key, row);
    same.objects += 1;
    if (!same.apps.includes(row.apps[0]!)) same.apps.push(row.apps[0]!);
  };
  for (const app of apps) {
    const name = appText(app.name);
    if (app.action !== "changed") add(whole(app, name));
    for (const one of app.settings ?? []) {
      fields += 1;
      add({ mark: "~", apps: [name], object: null, objects: 1, say: "", ...sides(one) });
    }
    for (const object of app.objects ?? []) {
      const loud = (object.fields ?? []).filter((one) => !one.noise);
      noise += (object.fields ?? []).length - loud.length;
      for (const one of loud) {
        fields += 1;
        add({ mark: "~", apps: [name], object: object.key, objects: 1, say: "", ...sides(one) });
      }
      if (object.action !== "change") add(wholeObject(object, name));
    }
  }
  const rows = [...found.values()].sort((a, b) => b.apps.length - a.apps.length);
  return { rows, fields, noise };
}

function sides(one: { path: string; before?: unknown; after?: unknown; place?: Parameters<typeof placeText>[0] }) {
  return { path: one.path, before: one.before, after: one.after, place: placeText(one.place) };
}

function whole(app: AppChange, name: string): FieldRow {
  const was = app.was ? ` from ${appText(app.was)}` : "";
  const size = app.size ? `, ${app.size} objects` : "";
  const mark = app.action === "created" ? "+" : app.action === "deleted" ? "−" : "→";
  const say = `${SAID[app.action] ?? app.action}${was}${size}`;
  return { mark, apps: [name], object: null, objects: 1, path: "", say, place: placeText(app.place) };
}

function wholeObject(object: NonNullable<AppChange["objects"]>[number], name: string): FieldRow {
  const said = {
    create: "new object",
    delete: "the object goes",
    rename: `renamed from ${object.was?.name ?? "another"}`,
    transfer: `delivered by ${appText(object.other ?? "another app")} until now`,
    change: "",
  }[object.action];
  const place = placeText(object.place);
  return { mark: MARKS[object.action], apps: [name], object: object.key, objects: 1, path: "", say: said, place };
}
