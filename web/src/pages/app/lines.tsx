// Lines of a log, with the time of each; what looks like an error is coloured and stays a word.
import type { Ref } from "preact";
import type { LogLine } from "../../lib/types";
import { clock } from "../../lib/words";

const ERROR = /\b(error|fatal|panic|exception)\b/i;

interface Props {
  of: string;
  lines: LogLine[];
  tall?: boolean;
  none?: string;
  box?: Ref<HTMLDivElement>;
}

export function Lines({ of, lines, tall, none = "No line yet.", box }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
    <div class={tall ? "log tall" : "log"} role="log" aria-label={`Log of ${of}`} tabIndex={0} ref={box ?? null}>
      {lines.map((line, i) => (
        <div key={i} class={ERROR.test(line.content) ? "e" : ""}>
          <span class="ts">{clock(line.timeStampStr ?? line.timeStamp)} </span>
          {line.content}
        </div>
      ))}
      {!lines.length && <span class="q">{none}</span>}
    </div>
  );
}
