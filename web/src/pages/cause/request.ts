// A text for the pull request that repairs a cause.
import type { Cause } from "../../lib/types";
import { plural, thingText } from "../../lib/words";

export function pullRequest(cause: Cause): string {
  const { finding } = cause;
  const chain = (cause.chain ?? [])
    .filter((link) => link.kind !== "Application")
    .map((link) => `${link.count} ${link.kind} ${link.state}`);
  const apps = cause.affected ?? [];
  const lines = [
    `Fix ${finding.name.replaceAll("-", " ")} of ${thingText(cause.thing)}`,
    "",
    `${finding.message}.`,
    `${[...chain, plural(apps.length, "app")].join(" → ")} (${finding.code}).`,
  ];
  if (finding.fix?.text) lines.push("", finding.fix.text);
  if (finding.fix?.edits?.length)
    lines.push(
      "",
      ...finding.fix.edits.map(
        (edit) => `- ${edit.place.file}:${edit.place.line}: ${edit.before ?? ""} → ${edit.after || "deleted"}`,
      ),
    );
  if (finding.fix?.command) lines.push("", "Afterwards:", `    ${finding.fix.command}`);
  for (const text of cause.assumptions ?? []) lines.push("", `Not known: whether ${text}.`);
  return lines.join("\n");
}
