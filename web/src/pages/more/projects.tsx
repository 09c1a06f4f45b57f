// Projects: what each allows, from where and to where, and how its apps are.
import { useFleet } from "../../lib/fleet";
import { needsYou } from "../../lib/look";
import type { AppProject } from "../../lib/types";
import { useRead, useTitle } from "../../lib/use";
import { count, plural } from "../../lib/words";
import { ListPage, Table } from "./frame";

export function ProjectsPage({ name }: { name: string | undefined }) {
  const read = useRead<{ items: AppProject[] }>("/api/v1/projects", 10_000);
  const fleet = useFleet();
  useTitle("Projects");
  const projects = (read.data?.items ?? []).filter((one) => !name || one.metadata.name === name);
  const rows = [...fleet.rows.values()];
  return (
    <ListPage
      title={read.data ? `${plural(projects.length, "project")}, ${plural(rows.length, "app")}.` : "Projects"}
      what="Projects"
      read={read}
    >
      <Table heads={["project", "apps", "need you", "from", "to", "cluster-scoped kinds", "windows", "roles"]}>
        {projects.map(({ metadata, spec }) => {
          const own = rows.filter((row) => row.project === metadata.name);
          return (
            <tr key={metadata.name}>
              <td class="b nw">
                {metadata.name}
                {spec?.description && (
                  <>
                    <br />
                    <span class="q">{spec.description}</span>
                  </>
                )}
              </td>
              <td>
                <a class="l" href={`/fleet?status=all&project=${encodeURIComponent(metadata.name)}`}>
                  {count(own.length)}
                </a>
              </td>
              <td>{count(own.filter(needsYou).length)}</td>
              <td class="m">{all(spec?.sourceRepos)}</td>
              <td class="m">
                {all(spec?.destinations?.map((one) => `${one.name ?? one.server ?? "*"}, ${one.namespace ?? "*"}`))}
              </td>
              <td class="m">
                {all(
                  spec?.clusterResourceWhitelist?.map((one) => `${one.group}/${one.kind}`),
                  "none",
                )}
              </td>
              <td>
                {spec?.syncWindows?.map((one) => `${one.kind} ${one.schedule} for ${one.duration}`).join("; ") ||
                  "none"}
              </td>
              <td>{spec?.roles?.map((role) => role.name).join(", ") || "none"}</td>
            </tr>
          );
        })}
      </Table>
    </ListPage>
  );
}

function all(texts: string[] | undefined, none = "nothing"): string {
  return texts?.length ? texts.slice(0, 4).join("; ") + (texts.length > 4 ? `; ${texts.length - 4} more` : "") : none;
}
