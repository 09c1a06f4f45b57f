// Clusters: whether each answers, its version, and how many apps are delivered there.
import type { Look } from "../../lib/look";
import type { ClusterList, ConnectionState } from "../../lib/types";
import { useRead, useTitle } from "../../lib/use";
import { count, moment, plural } from "../../lib/words";
import { Shape } from "../../ui/shape";
import { ListPage, Table } from "./frame";

export function connectionLook(state: ConnectionState | undefined): Look {
  if (state?.status === "Successful") return "ok";
  return state?.status === "Failed" ? "bad" : "unk";
}

export function connectionText(state: ConnectionState | undefined): string {
  if (!state?.status || state.status === "Unknown") return "not checked yet";
  if (state.status === "Successful") return state.attemptedAt ? `answered ${moment(state.attemptedAt)}` : "answers";
  return `“${state.message || state.status}” ${moment(state.attemptedAt)}`;
}

export function ClustersPage() {
  const read = useRead<ClusterList>("/api/v1/clusters", 10_000);
  useTitle("Clusters");
  const clusters = read.data?.items ?? [];
  const silent = clusters.filter((one) => connectionLook(one.info?.connectionState ?? one.connectionState) === "bad");
  const title = !read.data
    ? "Clusters"
    : silent.length
      ? `${silent.length} of ${plural(clusters.length, "cluster")} does not answer.`
      : `${plural(clusters.length, "cluster")}.`;
  return (
    <ListPage title={title} what="Clusters" read={read}>
      <Table heads={["cluster", "address", "state", "version", "apps", "namespaces"]}>
        {clusters.map((one) => {
          const state = one.info?.connectionState ?? one.connectionState;
          return (
            <tr key={one.server}>
              <td class="b nw">{one.name || one.server}</td>
              <td class="m">{one.server}</td>
              <td>
                <Shape look={connectionLook(state)} label={state?.status ?? "Unknown"} /> {connectionText(state)}
              </td>
              <td>{one.info?.serverVersion ?? ""}</td>
              <td class="r">{count(Number(one.info?.applicationsCount ?? 0))}</td>
              <td>{one.namespaces?.join(", ") || "all"}</td>
            </tr>
          );
        })}
      </Table>
    </ListPage>
  );
}
