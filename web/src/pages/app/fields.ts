// The fields of an object that differ, for the Diff tab and for the plan of a sync.
import type { Difference, ObjectDiff } from "../../lib/types";

/** Of an object that only one side has, the whole is the difference; it has no field to name. */
export function fieldsOf(object: ObjectDiff): Difference[] {
  return (object.differences ?? []).filter((one) => one.path !== "");
}
