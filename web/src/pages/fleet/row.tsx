// One app as one sentence that ends in its cause. Only the sentence is cut; the cause never is.
import { memo } from "preact/compat";
import { lookOf, stateOf } from "../../lib/look";
import type { Row } from "../../lib/types";
import { appLink } from "../../lib/url";
import { since } from "../../lib/words";
import { Told } from "../../ui/object";
import { Shape } from "../../ui/shape";

interface Props {
  row: Row;
  ranks: ReadonlyMap<string, number>;
  selected: boolean;
  picked: boolean;
  minute: number;
  stale: boolean;
  /** What stands in the narrow column: where every app is of one project, its namespace says more. */
  beside: (row: Row) => string;
}

export const AppRow = memo(function AppRow({ row, ranks, selected, picked, minute, stale, beside }: Props) {
  const look = stale ? "unk" : lookOf(row);
  const state = stateOf(row);
  const told = sentence(row, state);
  return (
    <a
      class={`row${selected ? " sel" : ""}${picked ? " picked" : ""}`}
      href={appLink(row)}
      data-key={`${row.namespace}/${row.name}`}
    >
      <Shape look={look} label={stale ? `stale, was ${state}` : state} />
      <span class="nm" title={row.name}>
        {row.name}
        {picked && <span class="vh">, picked</span>}
      </span>
      <span class="wh">
        <span title={told}>
          {stale && "when last seen: "}
          <Told text={told} />
        </span>
        {row.causes.map(
          (id) =>
            ranks.get(id) !== undefined && (
              <span class="ref" key={id}>
                #{ranks.get(id)}
              </span>
            ),
        )}
      </span>
      <span class="p" title={beside(row)}>
        {beside(row)}
      </span>
      <span class="t">{look === "ok" ? "" : since(row.since, minute)}</span>
    </a>
  );
});

/** Never "Degraded" or "OutOfSync" alone where the server knows more; never an empty cell where it does not. */
function sentence(row: Row, state: string): string {
  if (row.sentence) return plainly(row.sentence);
  if (state === "OK") return row.revision ? `Synced at ${row.revision.slice(0, 7)}, Healthy` : "Synced, Healthy";
  if (state === "not checked yet") return "not checked yet";
  return [row.sync, row.health, row.operation === "Succeeded" ? "" : row.operation && `sync ${row.operation}`]
    .filter(Boolean)
    .join(", ");
}

const KEY = /(?:[\w.-]+\/)?([A-Z][A-Za-z]+):[\w.-]*\/([\w.:-]+)/g;
const FAILED =
  /^Failed last sync attempt to \[[^\]]*\]: (?:one or more (?:synchronization tasks|objects)[^,:]*, reason: )?/;

/** The cluster's own words, without what people skip when they read them. */
export function plainly(text: string): string {
  return text
    .replace(FAILED, "last sync failed: ")
    .replace(/^Caused by (?=[\w./-]+:)/, "not well: ")
    .replace(KEY, "$1/$2");
}
