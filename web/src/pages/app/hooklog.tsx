// The end of the log of the hook that a sync waits for, or that it failed at.
import { useEffect, useState } from "preact/hooks";
import { appPath, Failure, follow } from "../../lib/api";
import type { LogLine, Tree, TreeNode, WaveTask } from "../../lib/types";
import { appLink } from "../../lib/url";
import { plural, refText } from "../../lib/words";
import { Failed } from "../../ui/note";
import { Lines } from "./lines";
import type { TabProps } from "./props";
import type { Nodes } from "./tree";

const SHOWN = 8;

/** The newest pod of a hook: the hook itself, or what its Job has started. */
export function podOf(task: WaveTask, tree: Nodes | undefined): TreeNode | undefined {
  const own = (node: TreeNode) =>
    (task.kind === "Pod" && node.name === task.name) ||
    (node.parentRefs ?? []).some((ref) => ref.kind === task.kind && ref.name === task.name);
  const pods = (tree?.nodes ?? []).filter(
    (node) => node.kind === "Pod" && (node.namespace ?? "") === (task.namespace ?? "") && own(node),
  );
  return pods.sort((a, b) => (a.createdAt ?? "").localeCompare(b.createdAt ?? "")).at(-1);
}

export function HookLog({ name, task, tree }: { name: TabProps["name"]; task: WaveTask; tree: Tree | undefined }) {
  const pod = podOf(task, tree);
  const [lines, set] = useState<LogLine[]>([]);
  const [failure, fail] = useState<Failure>();
  useEffect(() => {
    set([]);
    fail(undefined);
    if (!pod) return;
    const stop = new AbortController();
    const path = appPath(name, "logs", { namespace: pod.namespace, podName: pod.name, tailLines: SHOWN, follow: true });
    const take = (line: LogLine) => !line.last && set((old) => [...old, line].slice(-SHOWN));
    follow<LogLine>(path, take, stop.signal).catch(
      (error: unknown) =>
        !stop.signal.aborted && fail(error instanceof Failure ? error : new Failure(0, String(error))),
    );
    return () => stop.abort();
  }, [pod?.name, pod?.namespace, name.name, name.namespace]);
  if (!pod) return null;
  return (
    <section class="wsec" aria-label="Hook log">
      <div class="sh-row">
        <h2>Hook log</h2>
        <span class="q">
          {refText(task)}, its last {plural(lines.length, "line")}, following
        </span>
        <span class="end">
          <a class="l" href={appLink(name, "logs", { pod: pod.name })}>
            Open log
          </a>
        </span>
      </div>
      {failure ? <Failed failure={failure} what={`The log of ${pod.name}`} /> : <Lines of={pod.name} lines={lines} />}
    </section>
  );
}
