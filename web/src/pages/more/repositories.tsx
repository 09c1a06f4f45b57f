// Repositories: those that are registered, and those that apps name.
import type { RepositoryList } from "../../lib/types";
import { useRead, useTitle } from "../../lib/use";
import { plural } from "../../lib/words";
import { Shape } from "../../ui/shape";
import { connectionLook, connectionText } from "./clusters";
import { ListPage, Table } from "./frame";

export function RepositoriesPage() {
  const read = useRead<RepositoryList>("/api/v1/repositories", 15_000);
  useTitle("Repositories");
  const repositories = read.data?.items ?? [];
  return (
    <ListPage
      title={
        !read.data
          ? "Repositories"
          : repositories.length
            ? `${plural(repositories.length, "repository", "repositories")} registered.`
            : "No repository is registered."
      }
      what="Repositories"
      read={read}
    >
      {repositories.length ? (
        <Table heads={["repository", "type", "state", "project", "user"]}>
          {repositories.map((one) => (
            <tr key={one.repo}>
              <td class="m">
                {one.repo}
                {one.name && (
                  <>
                    <br />
                    <span class="q">{one.name}</span>
                  </>
                )}
              </td>
              <td>{one.type ?? "git"}</td>
              <td>
                <Shape look={connectionLook(one.connectionState)} label={one.connectionState?.status ?? "Unknown"} />{" "}
                {connectionText(one.connectionState)}
              </td>
              <td>{one.project || "every"}</td>
              <td>{one.username ?? ""}</td>
            </tr>
          ))}
        </Table>
      ) : (
        <p class="q2">
          Public repositories need no entry. For others: <span class="m">syncline repo add URL --username …</span>
        </p>
      )}
    </ListPage>
  );
}
