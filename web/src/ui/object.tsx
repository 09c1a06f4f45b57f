// Names of objects, as a machine wrote them, and sentences that contain such names.
import type { ComponentChildren } from "preact";
import type { ObjectRef } from "../lib/types";

export function Obj({ of, short }: { of: ObjectRef; short?: boolean }) {
  const where = !short && of.namespace ? `${of.namespace}/` : "";
  return (
    <span class="obj" title={`${of.kind}/${of.namespace ? `${of.namespace}/` : ""}${of.name}`}>
      <span class="k">{of.kind}/</span>
      {where}
      {of.name}
    </span>
  );
}

const MACHINE =
  /((?:[\w.-]+\/)?[A-Z][A-Za-z]+:[\w.-]*\/[\w.:-]*\w|[A-Z][A-Za-z]+\/[\w.:-]*\w(?:\/[\w.:-]*\w)?|[\w./-]+\.(?:yaml|yml|json|tpl)(?::\d+)?|"[^"]+"|\b[\w.-]+(?:\.[\w-]+)+\/[\w./-]+(?::[\w.-]+)?|\b[\w.]+: (?:\[\]|\{\}))/g;

/** A sentence, with the names in it set as names. */
export function Told({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const found of text.matchAll(MACHINE)) {
    parts.push(text.slice(at, found.index));
    parts.push(
      <span class="m" key={found.index}>
        {found[0].startsWith('"') ? found[0].slice(1, -1) : found[0]}
      </span>,
    );
    at = found.index + found[0].length;
  }
  parts.push(text.slice(at));
  return <>{parts}</>;
}
