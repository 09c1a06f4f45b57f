// Logs of one container, as they are written.
import { useEffect, useRef, useState } from "preact/hooks";
import { appPath, Failure, follow } from "../../lib/api";
import { pause, untilSeen, whileSeen } from "../../lib/seen";
import type { LogLine, Tree, TreeNode } from "../../lib/types";
import { go, withParams } from "../../lib/url";
import { plural } from "../../lib/words";
import { Failed, Note } from "../../ui/note";
import { Lines } from "./lines";
import type { TabProps } from "./props";
import type { Nodes } from "./tree";

const KEPT = 2000;
const AGAIN = 3000;

/** Pods, those in trouble first. */
export function podsOf(tree: Nodes | undefined): TreeNode[] {
  const sick = (node: TreeNode) => (node.health?.status === "Healthy" ? 1 : 0);
  return (tree?.nodes ?? [])
    .filter((node) => node.kind === "Pod")
    .sort((a, b) => sick(a) - sick(b) || a.name.localeCompare(b.name));
}

export function Logs({ name, where, tree }: TabProps & { tree: Tree | undefined }) {
  const pods = podsOf(tree);
  const asked = where.params.get("pod");
  const chosen = pods.find((pod) => pod.name === asked) ?? pods[0];
  const previous = where.params.get("previous") === "1";
  const filter = where.params.get("q") ?? "";
  const [lines, set] = useState<LogLine[]>([]);
  const [failure, fail] = useState<Failure>();
  const [ended, end] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const pod = chosen?.name;
  const space = chosen?.namespace;
  useEffect(() => {
    set([]);
    fail(undefined);
    end(false);
    if (!pod) return;
    const stop = new AbortController();
    let held: LogLine[] = [];
    const show = setInterval(() => {
      if (!held.length) return;
      const some = held;
      held = [];
      set((old) => [...old, ...some].slice(-KEPT));
    }, 150);
    const path = appPath(name, "logs", { namespace: space, podName: pod, tailLines: 500, follow: !previous, previous });
    const run = async () => {
      let over = false;
      const take = (line: LogLine) => {
        if (line.last) over = true;
        else held.push(line);
      };
      while (!stop.signal.aborted && !over) {
        await untilSeen(stop.signal);
        const seen = whileSeen(stop.signal);
        held = [];
        set([]);
        try {
          await follow<LogLine>(path, take, seen.signal, () => fail(undefined));
        } catch (error) {
          if (stop.signal.aborted) return;
          if (seen.signal.aborted) continue;
          const failure = error instanceof Failure ? error : new Failure(0, String(error));
          fail(failure);
          // The server says no, or the container does not run: only a server that is away is asked again.
          if (failure.status) return;
        } finally {
          seen.abort();
        }
        if (!over) await pause(AGAIN, stop.signal);
      }
      end(over);
    };
    void run();
    return () => {
      stop.abort();
      clearInterval(show);
    };
  }, [pod, space, previous, name.name, name.namespace]);
  // new lines scroll along
  useEffect(() => {
    const at = box.current;
    if (at && at.scrollHeight - at.scrollTop - at.clientHeight < 80) at.scrollTop = at.scrollHeight;
  }, [lines]);
  if (!pods.length)
    return (
      <p class="none">No pod of this app is there, so there is no log. The Waves tab says what was not started yet.</p>
    );
  const shown = filter ? lines.filter((line) => line.content.toLowerCase().includes(filter.toLowerCase())) : lines;
  return (
    <section class="ftab">
      <div class="sh-row">
        <label class="q">
          Pod{" "}
          <select class="field" value={pod} onChange={(event) => go(withParams({ pod: event.currentTarget.value }))}>
            {pods.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name} ·{" "}
                {one.info?.find((info) => info.name === "Status Reason")?.value ?? one.health?.status ?? ""}
              </option>
            ))}
          </select>
        </label>
        <label class="q">
          <input
            type="checkbox"
            checked={previous}
            onChange={(event) => go(withParams({ previous: event.currentTarget.checked ? "1" : null }))}
          />{" "}
          the run before
        </label>
        <span class="end">
          <input
            class="field"
            type="search"
            aria-label="Filter lines"
            placeholder="Filter lines"
            value={filter}
            onInput={(event) => go(withParams({ q: event.currentTarget.value }), { replace: true })}
          />
          <span class="q" role="status">
            {plural(shown.length, "line")}
            {ended ? ", ended" : ", following"}
          </span>
        </span>
      </div>
      {asked && asked !== pod && (
        <Note look="unk">
          <b>{asked} is gone.</b> Below is the log of {pod}.
        </Note>
      )}
      {failure && <Failed failure={failure} what={`The log of ${pod}`} />}
      <Lines of={pod ?? ""} lines={shown} tall box={box} none={failure ? "" : "No line yet."} />
    </section>
  );
}
