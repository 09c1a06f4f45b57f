// The tree of objects beside the explanation.
import { useMemo } from "preact/hooks";
import type { Application, Tree } from "../../lib/types";
import { go, type Where, withParams } from "../../lib/url";
import { plural } from "../../lib/words";
import { Obj } from "../../ui/object";
import { Shape } from "../../ui/shape";
import { counts, grown, rowsOf, type TreeRow } from "./tree";

function listOf(where: Where, name: string): Set<string> {
  return new Set((where.params.get(name) ?? "").split(",").filter(Boolean));
}

function toggled(names: Set<string>, name: string): string {
  const found = new Set(names);
  if (!found.delete(name)) found.add(name);
  return [...found].join(",");
}

export function Objects({ app, tree, where }: { app: Application; tree: Tree; where: Where }) {
  const root = useMemo(() => grown(app, tree), [app, tree]);
  const open = listOf(where, "open");
  const closed = listOf(where, "closed");
  const rows = rowsOf(root, open, closed);
  const { all, bad } = counts(root);
  const selected = where.params.get("node");
  const press = (event: KeyboardEvent, row: TreeRow) => {
    const list = (event.currentTarget as HTMLElement).closest<HTMLElement>("[role=tree]");
    const items = [...(list?.querySelectorAll<HTMLElement>("[role=treeitem]") ?? [])];
    const at = items.indexOf(event.currentTarget as HTMLElement);
    if (event.key === "ArrowDown") items[at + 1]?.focus();
    else if (event.key === "ArrowUp") items[at - 1]?.focus();
    else if (event.key === "Enter" || event.key === " ") act(row);
    else if (event.key === "ArrowLeft" && row.kind === "node" && row.open)
      go(withParams({ closed: toggled(closed, row.key) }), { replace: true });
    else if (event.key === "ArrowRight" && row.kind === "fold") act(row);
    else if (event.key === "ArrowRight" && row.kind === "node" && row.children && !row.open)
      go(withParams({ closed: toggled(closed, row.key) }), { replace: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const act = (row: TreeRow) => {
    if (row.kind === "fold") go(withParams({ open: toggled(open, row.key) }), { replace: true });
    else go(withParams({ node: selected === row.key ? null : row.key }), { replace: true });
  };
  return (
    <section aria-label="Objects">
      <div class="sh-row">
        <h2>Objects</h2>
        <span class="q">
          {plural(all, "object").replace(" objects", "").replace(" object", "")}
          {bad ? `, of which ${bad} bad` : ", none bad"}
        </span>
        <span class="end">
          <a class="l" href={withParams({ open: open.size || closed.size ? null : "all", closed: null }, where)}>
            {open.size || closed.size ? "Only the bad path" : "Open all"}
          </a>
        </span>
      </div>
      <div class="tree" role="tree" aria-label={`Objects of ${app.metadata.name}`}>
        {rows.map((row, i) => (
          <div
            key={row.key}
            class={`tn${row.kind === "fold" ? " fold" : row.node.absent ? " gone" : ""}${row.key === selected ? " sel" : ""}`}
            style={{ "--d": row.depth }}
            role="treeitem"
            aria-level={row.depth + 1}
            aria-expanded={row.kind === "fold" ? false : row.children ? row.open : undefined}
            aria-selected={row.key === selected}
            tabIndex={row.key === selected || (!selected && i === 0) ? 0 : -1}
            onClick={() => act(row)}
            onKeyDown={(event) => press(event, row)}
          >
            {row.kind === "fold" ? (
              <>
                <span class="tw" aria-hidden="true">
                  ▸
                </span>
                <span class="cut" title={row.label}>
                  {row.label}
                </span>
                <span class="st">{row.state}</span>
              </>
            ) : (
              <>
                <Shape look={row.node.look} />
                <Obj of={{ ...row.node.ref, namespace: "" }} />
                <span class={`st${row.node.look === "bad" ? " c-bad" : ""}`} title={row.node.message}>
                  {row.node.state}
                </span>
              </>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}
