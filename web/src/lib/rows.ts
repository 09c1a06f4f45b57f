// The rows of the fleet, put together from lists and from the stream, which may overtake one another: the newer wins.
import type { Row } from "./types";

export function rowKey(row: { namespace: string; name: string }): string {
  return `${row.namespace}/${row.name}`;
}

export class Rows {
  readonly all = new Map<string, Row>();

  /** Take a row, unless a newer one is there already. */
  take(row: Row): void {
    const known = this.all.get(rowKey(row));
    if (!known || Number(row.version) >= Number(known.version)) this.all.set(rowKey(row), row);
  }

  /** Take a list of every row, as of a version; what it lacks is gone, unless it came by the stream since. */
  takeAll(rows: Row[], version: string): void {
    const listed = new Set(rows.map(rowKey));
    for (const [key, known] of this.all)
      if (!listed.has(key) && Number(known.version) <= Number(version)) this.all.delete(key);
    for (const row of rows) this.take(row);
  }

  drop(row: { namespace: string; name: string }): void {
    this.all.delete(rowKey(row));
  }
}
