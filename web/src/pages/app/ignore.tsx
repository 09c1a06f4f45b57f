// The smallest rule that silences a difference: what it does, and why somebody wants it. A reason is required.
import { useState } from "preact/hooks";
import type { IgnoreDifference, ObjectDiff } from "../../lib/types";
import { plural } from "../../lib/words";
import { CopyButton } from "../../ui/copy";
import { Frame } from "../../ui/frame";
import { Shape } from "../../ui/shape";

interface Props {
  entry: IgnoreDifference;
  reason: string;
  object: ObjectDiff;
  app: string;
  close: string;
}

/** The entry as YAML lines; its values are texts and lists of texts. */
export function ruleLines(entry: IgnoreDifference): string[] {
  const lines: string[] = [];
  for (const [name, of] of Object.entries(entry)) {
    const lead = lines.length ? "      " : "    - ";
    if (Array.isArray(of)) {
      lines.push(`${lead}${name}:`);
      for (const one of of) lines.push(`        - ${String(one)}`);
    } else lines.push(`${lead}${name}: ${String(of)}`);
  }
  return ["  ignoreDifferences:", ...lines];
}

export function IgnoreRule({ entry, reason: remark, object, app, close }: Props) {
  const [reason, set] = useState("");
  const [until, look] = useState("");
  const lines = ruleLines(entry);
  const noted = [...(reason ? [`    # ${reason}${until ? `; look again ${until}` : ""}`] : []), ...lines];
  const ready = reason.trim() !== "";
  return (
    <div class="rule">
      <div>
        <h2 class="h3">The smallest rule that silences this</h2>
        <Frame place={`Application ${app}, spec`} lines={noted.map((text) => ({ mark: "+" as const, text }))} />
      </div>
      <div>
        <h2 class="h3">What it does</h2>
        <ul class="list">
          <li>
            <Shape look="ok" />
            <span>
              Silences {plural(object.differences?.length ?? 0, "difference")} of {object.kind}/{object.name}.
            </span>
          </li>
          {remark && (
            <li>
              <Shape look="ok" />
              <span>{remark}</span>
            </li>
          )}
        </ul>
        <div class="f2">
          <label>
            Reason
            <input value={reason} required onInput={(event) => set(event.currentTarget.value)} />
          </label>
          <label>
            Look again on
            <input value={until} type="date" onInput={(event) => look(event.currentTarget.value)} />
          </label>
        </div>
        <div class="acts">
          {ready ? (
            <CopyButton text={noted.join("\n")} label="Copy rule" />
          ) : (
            <>
              <button type="button" class="btn" disabled aria-describedby="needs-reason">
                Copy rule
              </button>
              <span class="q" id="needs-reason">
                a reason is needed
              </span>
            </>
          )}
          <a class="btn bare" href={close}>
            Close
          </a>
        </div>
      </div>
    </div>
  );
}
