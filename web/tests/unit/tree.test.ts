import { describe, expect, it } from "vitest";
import type { Application, Tree } from "../../src/lib/types";
import { counts, grown, type Nodes, rowsOf } from "../../src/pages/app/tree";
import { at, offsets } from "../../src/ui/virtual";

const app: Application = {
  metadata: { name: "web", namespace: "argocd" },
  spec: {},
  status: {
    health: { status: "Degraded" },
    resources: [
      { kind: "Deployment", group: "apps", namespace: "n", name: "web", status: "Synced" },
      { kind: "Service", namespace: "n", name: "lost", status: "OutOfSync", health: { status: "Missing" } },
    ],
  },
};
const NONE = new Set<string>();

function node(
  kind: string,
  name: string,
  status: string | undefined,
  parent?: [string, string],
): Tree["nodes"][number] {
  return {
    kind,
    name,
    namespace: "n",
    uid: `${kind}-${name}`,
    ...(status ? { health: { status } } : {}),
    ...(parent ? { parentRefs: [{ kind: parent[0], name: parent[1], uid: `${parent[0]}-${parent[1]}` }] } : {}),
  };
}

const tree: Nodes = {
  nodes: [
    node("Deployment", "web", "Degraded"),
    node("ReplicaSet", "web-new", "Progressing", ["Deployment", "web"]),
    node("Pod", "web-new-1", "Degraded", ["ReplicaSet", "web-new"]),
    node("ReplicaSet", "web-old", undefined, ["Deployment", "web"]),
    node("ConfigMap", "a", undefined),
    node("ConfigMap", "b", undefined),
    node("Role", "r", undefined),
    node("ServiceAccount", "s", undefined),
  ],
};

describe("the tree", () => {
  const root = grown(app, tree);

  it("opens only the bad path and folds healthy siblings, counted by kind", () => {
    const shown = rowsOf(root, NONE, NONE).map((row) =>
      row.kind === "fold" ? row.label : `${row.depth} ${row.node.ref.kind}/${row.node.ref.name}`,
    );
    expect(shown).toEqual([
      "0 Application/web",
      "1 Deployment/web",
      "2 ReplicaSet/web-new",
      "3 Pod/web-new-1",
      "1 ReplicaSet: web-old",
      "1 Service/lost",
      "2 ConfigMaps: a, b",
      "2 RBAC: r, s",
    ]);
  });

  it("shows what Git wants and the cluster has not, as absent", () => {
    const lost = rowsOf(root, NONE, NONE).find((row) => row.kind === "node" && row.node.ref.name === "lost");
    expect(lost?.kind === "node" && [lost.node.absent, lost.node.look]).toEqual([true, "bad"]);
  });

  it("counts every object once", () => {
    expect(counts(root)).toEqual({ all: 9, bad: 3 });
    expect(rowsOf(root, new Set(["all"]), NONE)).toHaveLength(10);
  });

  it("keeps a closed node closed", () => {
    expect(rowsOf(root, NONE, new Set(["app"]))).toHaveLength(1);
  });

  it("opens 2,000 objects as the bad path alone", () => {
    const many = {
      nodes: [...tree.nodes, ...Array.from({ length: 2000 }, (_, i) => node("ConfigMap", `c${i}`, undefined))],
    };
    expect(rowsOf(grown(app, many), NONE, NONE).length).toBeLessThan(12);
  });
});

describe("the window of a long list", () => {
  it("finds the item at a height", () => {
    const tops = offsets([
      { key: "a", height: 32 },
      { key: "b", height: 32 },
      { key: "c", height: 64 },
    ]);
    expect([...tops]).toEqual([0, 32, 64, 128]);
    expect([-5, 0, 31, 32, 64, 127, 500].map((y) => at(tops, y))).toEqual([0, 0, 0, 1, 2, 2, 2]);
  });
  it("is empty for no items", () => {
    expect(at(offsets([]), 100)).toBe(0);
  });
});
