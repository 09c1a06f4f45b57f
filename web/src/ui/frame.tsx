// Lines of a file: where they are, what is guilty, what to write instead.
import type { ComponentChildren } from "preact";
import type { Edit } from "../lib/types";
import { CopyButton } from "./copy";

export interface Line {
  n?: number | string;
  mark?: " " | "+" | "−";
  text: string;
  guilty?: boolean;
  say?: string;
}

export function Frame({
  place,
  end,
  lines,
  copy,
}: {
  place: string;
  end?: ComponentChildren;
  lines: Line[];
  copy?: string;
}) {
  return (
    <div class="frame">
      <div class="fh">
        <span class="src" title={place}>
          {place}
        </span>
        <span class="end">
          {end}
          {copy && <CopyButton small text={copy} label="Copy" />}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached with the keyboard */}
      <ol tabIndex={0} aria-label={`Lines of ${place}`}>
        {lines.map((line, i) => (
          <LineRow line={line} key={i} />
        ))}
      </ol>
    </div>
  );
}

function LineRow({ line }: { line: Line }) {
  const kind = line.mark === "+" ? "a" : line.mark === "−" ? "d" : "";
  return (
    <>
      <li class={kind}>
        <span>{line.n ?? ""}</span>
        <span>{line.mark ?? " "}</span>
        <span class={line.guilty ? "mk" : ""}>{line.text}</span>
      </li>
      {line.say && (
        <li class="say">
          <span />
          <span />
          <span>^ {line.say}</span>
        </li>
      )}
    </>
  );
}

/** One frame per file of a fix; files that get the very same edit share one, and are named beneath it. */
export function Edits({ edits }: { edits: Edit[] }) {
  const files = new Map<string, Edit[]>();
  for (const edit of edits) files.set(edit.place.file, [...(files.get(edit.place.file) ?? []), edit]);
  const alike = new Map<string, Edit[][]>();
  for (const some of files.values()) {
    const same = JSON.stringify(some.map((edit) => [edit.before, edit.after]));
    alike.set(same, [...(alike.get(same) ?? []), some]);
  }
  return (
    <>
      {[...alike].map(([same, [first, ...others]]) => (
        <div class="gap" key={same}>
          <Frame
            place={`${first![0]!.place.file}:${first![0]!.place.line}`}
            end={others.length > 0 && `the same in ${others.length + 1} files`}
            lines={first!.flatMap(editLines)}
          />
          {others.length > 0 && (
            <ul class="alike">
              {others.map(([edit]) => (
                <li class="src" key={edit!.place.file}>
                  {edit!.place.file}:{edit!.place.line}
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </>
  );
}

function editLines(edit: Edit): Line[] {
  const at = edit.place.line;
  const lines: Line[] = [];
  for (const [i, text] of (edit.before ?? "").split("\n").entries())
    if (edit.before) lines.push({ n: at + i, mark: "−", text });
  const first = edit.before ? at : at + 1;
  for (const [i, text] of (edit.after ?? "").split("\n").entries())
    if (edit.after) lines.push({ n: first + i, mark: "+", text });
  return lines;
}

export function patchText(edits: Edit[]): string {
  return edits
    .map(
      (edit) =>
        `${edit.place.file}:${edit.place.line}\n${edit.before ? `- ${edit.before}\n` : ""}${edit.after ? `+ ${edit.after}\n` : ""}`,
    )
    .join("\n");
}
