// The sentences and rows of a check: what is joined, what is counted, and what stays apart.
import { describe, expect, it } from "vitest";
import type { AppChange, Effect, Preview } from "../../src/lib/types";
import { fieldRows } from "../../src/pages/check/fields";
import { comment, joined, tally, verdict } from "../../src/pages/check/words";

const empty: Preview = {
  base: "b",
  head: "h",
  total: 0,
  equal: 0,
  unknown: [],
  objects: 0,
  apps: [],
  effects: [],
  new: [],
  fixed: [],
  kept: [],
  not_looked: [],
  notes: [],
  frames: [],
  timelines: [],
  live: null,
};

function changed(name: string, after: number, noise = ""): AppChange {
  const key = { group: "apps", kind: "Deployment", namespace: "x", name };
  const field = { path: "spec.replicas", before: 1, after, place: { file: `${name}.yaml`, line: 8, column: 0 }, noise };
  return { name: `argocd/${name}`, action: "changed", objects: [{ key, action: "change", fields: [field] }] };
}

describe("changes by field", () => {
  it("are joined where they read the same, and apart where a value differs", () => {
    const { rows, fields } = fieldRows([changed("a", 3), changed("b", 3), changed("c", 4)]);
    expect(fields).toBe(3);
    expect(rows.map((row) => [row.apps, row.objects, row.after])).toEqual([
      [["a", "b"], 2, 3],
      [["c"], 1, 4],
    ]);
    expect(rows[0]!.place).toBe("a.yaml:8");
  });

  it("leave out what follows from others, and say how much", () => {
    expect(fieldRows([changed("a", 3, "checksum of something else that changes")])).toEqual({
      rows: [],
      fields: 0,
      noise: 1,
    });
  });

  it("tell whole apps and objects that come and go", () => {
    const { rows } = fieldRows([
      { name: "team/new", action: "created", size: 6, place: { file: "apps/new.yaml", line: 1, column: 0 } },
      {
        name: "argocd/a",
        action: "changed",
        objects: [{ key: { kind: "Service", name: "s" }, action: "delete" }],
      },
    ]);
    expect(rows.map((row) => [row.mark, row.apps[0], row.say])).toEqual([
      ["+", "team/new", "new app, 6 objects"],
      ["−", "a", "the object goes"],
    ]);
  });
});

describe("the verdict", () => {
  const danger: Effect = { kind: "danger", short: "s", text: "PVC goes", apps: ["argocd/a"] };

  it("counts what to look at, and says when nothing changes", () => {
    expect(verdict(empty)).toBe("This change does not change any app.");
    expect(verdict({ ...empty, unknown: ["x", "y"] })).toBe(
      "This change does not change any app, as far as 2 unknown ones tell.",
    );
    expect(verdict({ ...empty, apps: [changed("a", 2)] })).toBe("This change touches 1 app.");
    expect(verdict({ ...empty, apps: [changed("a", 2)], effects: [danger] })).toBe(
      "This change touches 1 app. Look at 1 danger before you merge.",
    );
  });

  it("joins the same consequence of several apps, and keeps all in the comment", () => {
    const effects = [danger, { ...danger, apps: ["argocd/b"] }];
    expect(joined(effects).map((one) => one.apps)).toEqual([["argocd/a", "argocd/b"]]);
    const found = { ...empty, total: 3, equal: 2, apps: [changed("a", 2)], effects };
    const checked = {
      schemaVersion: 1,
      repository: "r",
      state: "ready",
      base: "1".repeat(40),
      head: "2".repeat(40),
      seconds: 1,
    } as const;
    const text = comment({ ...checked, progress: { done: 1, known: 1, last: "" } }, found);
    expect(text).toContain("3 apps: 1 change, 0 new, 0 deleted, 2 proven equal.");
    expect(text.match(/DANGER: PVC goes/g)).toHaveLength(1);
    expect(tally({ ...found, unknown: ["x"] })).toContain("1 unknown");
  });
});
