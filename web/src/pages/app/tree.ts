// The objects of an app as a tree of which only the bad path is open: healthy siblings fold into one line per kind.
import { type HierarchyNode, hierarchy } from "d3-hierarchy";
import { healthLook, type Look } from "../../lib/look";
import type { Application, ObjectRef, Tree, TreeNode } from "../../lib/types";
import { kinds, refKey } from "../../lib/words";

export interface Node {
  key: string;
  ref: ObjectRef;
  look: Look;
  state: string;
  message: string;
  absent: boolean;
  children: Node[];
}

export type TreeRow =
  | { kind: "node"; key: string; depth: number; node: Node; children: number; open: boolean }
  | { kind: "fold"; key: string; depth: number; label: string; state: string };

function stateOf(node: TreeNode): string {
  const info = (name: string) => node.info?.find((one) => one.name === name)?.value;
  return info("Status Reason") ?? info("Containers") ?? node.health?.status ?? "";
}

/** Nodes of the live tree under the Application, with those that Git wants and the cluster has not. */
/** A tree as far as most parts of the page look at it. */
export type Nodes = Pick<Tree, "nodes">;

export function grown(app: Application, tree: Nodes): Node {
  const nodes = new Map<string, Node>();
  const byUid = new Map<string, Node>();
  for (const one of tree.nodes) {
    const node: Node = {
      key: refKey(one),
      ref: { group: one.group ?? "", kind: one.kind, namespace: one.namespace ?? "", name: one.name },
      look: healthLook(one.health?.status),
      state: stateOf(one),
      message: one.health?.message ?? "",
      absent: one.health?.status === "Missing",
      children: [],
    };
    nodes.set(node.key, node);
    if (one.uid) byUid.set(one.uid, node);
  }
  const top: Node[] = [];
  for (const one of tree.nodes) {
    const node = nodes.get(refKey(one))!;
    const parent = (one.parentRefs ?? [])
      .map((ref) => (ref.uid && byUid.get(ref.uid)) || nodes.get(refKey(ref)))
      .find((found) => found && found !== node);
    if (parent) parent.children.push(node);
    else top.push(node);
  }
  for (const one of app.status?.resources ?? []) {
    if (one.hook) continue;
    const known = nodes.get(refKey(one));
    const drifted = one.status === "OutOfSync";
    if (known) {
      if (drifted && known.look === "ok") {
        known.look = "dec";
        known.state = one.requiresPruning ? "no longer in Git" : "OutOfSync";
      }
      continue;
    }
    const missing = one.health?.status === "Missing" || drifted;
    if (missing)
      top.push({
        key: refKey(one),
        ref: one,
        look: "bad",
        state: "missing",
        message: one.health?.message ?? "",
        absent: true,
        children: [],
      });
  }
  const health = app.status?.health?.status;
  const sync = app.status?.sync?.status;
  // An app that could not be compared is called Healthy for want of objects: nobody looked.
  const compared = !!sync && sync !== "Unknown";
  return {
    key: "app",
    ref: { kind: "Application", name: app.metadata.name, namespace: "" },
    look: health && (compared || health !== "Healthy") ? healthLook(health) : "unk",
    state: health ? (compared ? health : `${health}, not compared`) : "not checked yet",
    message: app.status?.health?.message ?? "",
    absent: false,
    children: top,
  };
}

export function counts(root: Node): { all: number; bad: number } {
  let [all, bad] = [-1, 0];
  hierarchy(root).each((one) => {
    all++;
    if (one.depth && (one.data.look === "bad" || one.data.look === "dec")) bad++;
  });
  return { all: Math.max(0, all), bad };
}

type Grown = HierarchyNode<Node> & { stirs?: boolean };

const RBAC = /^(Cluster)?Role(Binding)?$|^ServiceAccount$/;

/** The rows to show. `open` names nodes whose folded children are to be shown too; "all" is every one. */
export function rowsOf(root: Node, open: ReadonlySet<string>, closed: ReadonlySet<string>): TreeRow[] {
  const top = hierarchy(root) as Grown;
  top.eachAfter((one: Grown) => {
    one.stirs = one.data.look !== "ok" || (one.children ?? []).some((child) => (child as Grown).stirs);
  });
  const rows: TreeRow[] = [];
  const everything = open.has("all");
  const visit = (one: Grown, depth: number) => {
    const { data } = one;
    const children = (one.children ?? []) as Grown[];
    const isClosed = closed.has(data.key);
    rows.push({
      kind: "node",
      key: data.key,
      depth,
      node: data,
      children: children.length,
      open: children.length > 0 && !isClosed,
    });
    if (isClosed) return;
    const quiet = new Map<string, Grown[]>();
    for (const child of children) {
      const name = RBAC.test(child.data.ref.kind) ? "RBAC" : child.data.ref.kind;
      const fold = `${data.key}>${name}`;
      if (child.stirs || everything || open.has(fold)) visit(child, depth + 1);
      else {
        const some = quiet.get(name);
        if (some) some.push(child);
        else quiet.set(name, [child]);
      }
    }
    for (const [name, some] of quiet)
      rows.push({ kind: "fold", key: `${data.key}>${name}`, depth: depth + 1, ...folded(name, some) });
  };
  visit(top, 0);
  return rows;
}

function folded(name: string, some: Grown[]): { label: string; state: string } {
  const below = some.reduce((sum, one) => sum + one.descendants().length - 1, 0);
  const names = some.slice(0, 3).map((one) => one.data.ref.name);
  const more = some.length > 3 ? " …" : "";
  const label = name === "RBAC" ? `${some.length} RBAC` : kinds(some.length, name);
  return { label: `${label}: ${names.join(", ")}${more}${below ? `, and ${below} below` : ""}`, state: "healthy" };
}
