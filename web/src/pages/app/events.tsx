// Events of the Application, or of the object chosen in its tree.
import { appPath } from "../../lib/api";
import type { KubeEvent, Tree } from "../../lib/types";
import { go, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { count, moment, refKey } from "../../lib/words";
import { Failed, Outdated, Reading } from "../../ui/note";
import { Told } from "../../ui/object";
import { Shape } from "../../ui/shape";
import type { TabProps } from "./props";

export function Events({ name, where, tree }: TabProps & { tree: Tree | undefined }) {
  const nodes = tree?.nodes ?? [];
  const sick = nodes.filter((node) => node.health?.status && node.health.status !== "Healthy");
  const asked = where.params.get("node");
  const chosen = nodes.find((node) => refKey(node) === asked);
  const params = chosen
    ? { resourceNamespace: chosen.namespace, resourceName: chosen.name, resourceUID: chosen.uid }
    : {};
  const read = useRead<{ items: KubeEvent[] | null }>(appPath(name, "events", params), 5000);
  const events = [...(read.data?.items ?? [])].sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return (
    <section class="ftab">
      <div class="sh-row">
        <label class="q">
          Of{" "}
          <select
            class="field"
            value={chosen ? refKey(chosen) : ""}
            onChange={(event) => go(withParams({ node: event.currentTarget.value || null }))}
          >
            <option value="">Application {name.name}</option>
            {[...sick, ...nodes.filter((node) => !sick.includes(node))].map((node) => (
              <option key={refKey(node)} value={refKey(node)}>
                {node.kind}/{node.name} {node.health?.status ?? ""}
              </option>
            ))}
          </select>
        </label>
        <span class="q">{events.length ? `${events.length}, newest first` : ""}</span>
      </div>
      <Outdated read={read} what="The Events" />
      {read.failure && !read.data && <Failed failure={read.failure} what="The Events" again={read.again} />}
      {!read.data && !read.failure && <Reading what="Events" />}
      {read.data && !events.length && (
        <p class="none">No Event: nothing was reported about it, or what was has expired.</p>
      )}
      <ol class="evs">
        {events.map((event) => (
          <li class="evl" key={event.metadata.uid ?? event.metadata.name}>
            <time>{moment(timeOf(event))}</time>
            <Shape look={event.type === "Warning" ? "dec" : "ok"} label={event.type ?? "Normal"} />
            <span>
              <b>{event.reason}</b> “<Told text={event.message ?? ""} />”
            </span>
            <span class="end">
              {event.source?.component ?? event.reportingComponent}
              {event.count && event.count > 1 ? `, ${count(event.count)} times` : ""}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function timeOf(event: KubeEvent): string {
  return event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp ?? "";
}
