// ApplicationSets: what each generates, and how its apps are.
import { useFleet } from "../../lib/fleet";
import { lookOf, needsYou } from "../../lib/look";
import type { ApplicationSet, ApplicationSetList } from "../../lib/types";
import { appLink } from "../../lib/url";
import { useRead, useTitle } from "../../lib/use";
import { count, plural } from "../../lib/words";
import { Shape } from "../../ui/shape";
import { ListPage, Table } from "./frame";

export function SetsPage({ name }: { name: string | undefined }) {
  const read = useRead<ApplicationSetList>("/api/v1/applicationsets", 10_000);
  const fleet = useFleet();
  useTitle("ApplicationSets");
  const sets = (read.data?.items ?? []).filter((set) => !name || set.metadata.name === name);
  const rows = [...fleet.rows.values()];
  const failing = sets.filter((set) => error(set));
  const title = !read.data
    ? "ApplicationSets"
    : !sets.length
      ? "No ApplicationSet in this cluster."
      : failing.length
        ? `${count(failing.length)} of ${plural(sets.length, "ApplicationSet")} cannot generate.`
        : `${plural(sets.length, "ApplicationSet")} ${sets.length === 1 ? "generates" : "generate"} ${plural(rows.filter((row) => row.set).length, "app")}.`;
  return (
    <ListPage title={title} what="ApplicationSets" read={read}>
      {sets.length > 0 && (
        <Table heads={["ApplicationSet", "generators", "apps", "need you", "what it says"]}>
          {sets.map((set) => {
            const own = rows.filter((row) => row.set === set.metadata.name);
            const wrong = error(set);
            return (
              <tr key={set.metadata.name}>
                <td class="b nw">
                  <Shape look={wrong ? "bad" : own.some((row) => lookOf(row) === "bad") ? "dec" : "ok"} />{" "}
                  {set.metadata.name}
                </td>
                <td class="nw">
                  {(set.spec?.generators ?? [])
                    .map((one) => Object.keys(one).filter((key) => key !== "selector")[0])
                    .join(", ")}
                </td>
                <td>
                  <a class="l" href={`/fleet?status=all&set=${encodeURIComponent(set.metadata.name)}`}>
                    {count(own.length)}
                  </a>
                </td>
                <td>{count(own.filter(needsYou).length)}</td>
                <td>
                  {wrong
                    ? `“${wrong}”`
                    : (set.status?.conditions?.find((one) => one.type === "ResourcesUpToDate")?.message ?? "")}
                </td>
              </tr>
            );
          })}
        </Table>
      )}
      {!sets.length && (
        <p class="q2">
          Apps here come from files or from other apps:{" "}
          <a class="l" href={appLink({ name: rows[0]?.name ?? "" })}>
            {rows[0]?.name}
          </a>
        </p>
      )}
    </ListPage>
  );
}

function error(set: ApplicationSet): string {
  return set.status?.conditions?.find((one) => one.type === "ErrorOccurred" && one.status === "True")?.message ?? "";
}
