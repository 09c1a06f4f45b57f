// The chain of a cause for the whole fleet: the finding, then one hop per step with its count and examples.
import type { Cause } from "../../lib/types";
import { kinds, moment, thingText } from "../../lib/words";
import { type Hop, hopsOf } from "../app/hops";

export function causeHops(cause: Cause): Hop[] {
  const app = { metadata: { name: "", namespace: "" }, spec: {} };
  const told = hopsOf({ sync: "", health: "", findings: [] }, { ...cause, chain: [] }, { nodes: [] }, app);
  const first = told[0]!;
  first.link = cause.finding.since ? `first bad node, since ${moment(cause.finding.since)}` : "first bad node";
  const rest = (cause.chain ?? [])
    .filter((link) => link.kind !== "Application")
    .map((link): Hop => {
      const examples = (link.examples ?? []).map(thingText);
      return {
        key: `${link.kind} ${link.state}`,
        name: kinds(link.count, link.kind),
        look: "bad",
        state: link.state,
        link: link.state === "absent" ? "is named by the next" : "",
        quotes: [],
        facts: examples.length
          ? [
              `${examples.slice(0, 4).join(", ")}${link.count > 4 ? `, and ${link.count - Math.min(4, examples.length)} more` : ""}`,
            ]
          : [],
        code: [],
        first: false,
        more: 0,
        counted: true,
      };
    });
  return [first, ...rest];
}
