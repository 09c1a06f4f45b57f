// Both sides of one object as YAML, unified; read and drawn only when asked for.
import { yaml } from "@codemirror/lang-yaml";
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { type AppName, appPath } from "../../lib/api";
import type { AppDiff, ResourceDiff } from "../../lib/types";
import { type Where, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { asYaml } from "../../lib/yaml";
import { Failed, Reading } from "../../ui/note";
import { Obj } from "../../ui/object";

const BARE = EditorView.theme({
  "&": { fontSize: "12px", backgroundColor: "transparent", color: "var(--ink)", maxHeight: "70vh" },
  ".cm-content, .cm-deletedChunk": { fontFamily: "var(--mono)" },
  ".cm-gutters": { backgroundColor: "var(--bg-2)", color: "var(--ink-3)", border: "0" },
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine": { background: "var(--add-bg)" },
  "&.cm-merge-b .cm-changedText": { background: "none" },
  ".cm-deletedChunk": { backgroundColor: "var(--del-bg)" },
  ".cm-deletedChunk .cm-deletedText": { background: "none" },
  ".cm-collapsedLines": { background: "var(--bg-2)", color: "var(--ink-2)" },
  // a glyph that few fonts have
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "''" },
});

export function Unified({ name, diff, where }: { name: AppName; diff: AppDiff; where: Where }) {
  const chosen = diff.objects.find((object) => object.key === where.params.get("object")) ?? diff.objects[0];
  const params = chosen
    ? { group: chosen.group, kind: chosen.kind, namespace: chosen.namespace, name: chosen.name }
    : {};
  const read = useRead<{ items: ResourceDiff[] | null }>(chosen ? appPath(name, "managed-resources", params) : null);
  // `diff` is another one whenever the app was compared again
  const first = useRef(diff);
  useEffect(() => {
    if (first.current !== diff) read.again();
  }, [diff]);
  if (!chosen) return null;
  const item = read.data?.items?.[0];
  return (
    <div class="uni">
      <ul class="small" aria-label="Objects that differ">
        {diff.objects.map((object) => (
          <li key={object.key}>
            <a href={withParams({ object: object.key }, where)} aria-current={object === chosen ? "true" : undefined}>
              <Obj of={object} />
            </a>
          </li>
        ))}
      </ul>
      {read.failure && <Failed failure={read.failure} what="Both sides" again={read.again} />}
      {!item && read.busy && <Reading what={`both sides of ${chosen.kind}/${chosen.name}`} />}
      {item && (
        <Merge
          live={text(item.normalizedLiveState ?? item.liveState)}
          git={text(item.predictedLiveState ?? item.targetState)}
        />
      )}
    </div>
  );
}

function text(state: string | undefined): string {
  if (!state || state === "null") return "";
  try {
    return asYaml(JSON.parse(state));
  } catch {
    return state;
  }
}

function Merge({ live, git }: { live: string; git: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    // The server allows no style text in the document, which the editor would write there; in a root of its own it
    // adopts style sheets instead.
    const root = box.current.shadowRoot ?? box.current.attachShadow({ mode: "open" });
    const extensions = [
      lineNumbers(),
      yaml(),
      BARE,
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "Live against Git; green is what a sync writes" }),
      unifiedMergeView({ original: live, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
    ];
    const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: git, extensions }) });
    return () => view.destroy();
  }, [live, git]);
  return <div ref={box} class="frame" />;
}
