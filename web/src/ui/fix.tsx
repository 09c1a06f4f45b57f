// What to do: edits that apply as shown, a command to copy, or the decision that is needed.
import type { Cause, Fix } from "../lib/types";
import { CopyButton } from "./copy";
import { Edits, Frame, patchText } from "./frame";
import { Told } from "./object";
import { Shape } from "./shape";

/** The patch of a cause where `git apply` takes all of it; a part of a fix is not offered as the fix. */
export function exactPatch(cause: Cause | undefined): string | undefined {
  return cause?.patch?.text && !cause.patch.problems.length ? cause.patch.text : undefined;
}

export function fixText(fix: Fix | undefined, patch?: string): string {
  if (patch) return patch;
  if (!fix) return "";
  if (fix.edits?.length) return patchText(fix.edits);
  return fix.command || fix.text || "";
}

export function FixView({
  fix,
  options,
  patch,
}: {
  fix: Fix;
  options?: Fix[] | undefined;
  patch?: string | undefined;
}) {
  return (
    <div class="fixes">
      <OneFix fix={fix} />
      {patch && (
        <p class="acts">
          <CopyButton small text={patch} label="Copy patch for git apply" />
        </p>
      )}
      {(options ?? []).map((option, i) => (
        <div key={i}>
          <h3>Or</h3>
          <OneFix fix={option} />
        </div>
      ))}
    </div>
  );
}

function OneFix({ fix }: { fix: Fix }) {
  return (
    <>
      {fix.text && (
        <p class="fixline">
          <Shape
            look={fix.edits?.length || fix.command ? "ok" : "dec"}
            label={fix.edits?.length || fix.command ? "remark" : "needs a decision"}
          />
          <span>
            <Told text={fix.text} />
          </span>
        </p>
      )}
      {fix.edits && fix.edits.length > 0 && <Edits edits={fix.edits} />}
      {fix.command && (
        <Frame
          place={fix.edits?.length ? "afterwards" : "command"}
          copy={fix.command}
          lines={fix.command.split("\n").map((text) => ({ mark: " ", n: "$", text }))}
        />
      )}
    </>
  );
}
