// The apps that wait for a cause, by environment where names tell one: one row per app, one column per environment.
import type { FleetState } from "../../lib/fleet";
import { lookOf, stateOf } from "../../lib/look";
import type { Cause, Row } from "../../lib/types";
import { appLink } from "../../lib/url";
import { plural } from "../../lib/words";
import { Shape } from "../../ui/shape";
import { environmentOf, groupOrder, NO_ENVIRONMENT, tally } from "../fleet/arrange";

/** The name without its environment: `dev-platform-grafana` and `prod-platform-grafana` are one row. */
export function bareName(row: Row): string {
  return row.name
    .replace(/(^|-)(dev|development|test|qa|uat|staging|stage|stg|preprod|production|prod|prd|live)(-|$)/, "$1$3")
    .replace(/^-|-$/g, "")
    .replace("--", "-");
}

export function Affected({ cause, state }: { cause: Cause; state: FleetState }) {
  const rows = cause.apps?.length
    ? cause.apps
    : (cause.affected ?? []).map((key) => state.rows.get(key)).filter((row): row is Row => !!row);
  const counts = tally(rows, environmentOf);
  const columns = [...counts.keys()].sort(groupOrder);
  const lines = new Map<string, Map<string, Row>>();
  for (const row of rows) {
    const name = bareName(row);
    const line = lines.get(name) ?? new Map<string, Row>();
    line.set(environmentOf(row), state.rows.get(`${row.namespace}/${row.name}`) ?? row);
    lines.set(name, line);
  }
  const all = cause.affected?.length ?? rows.length;
  return (
    <section>
      <div class="sh-row">
        <h2>Affected</h2>
        <span class="q">{plural(all, "app")}</span>
        <span class="end">
          <a class="l" href={`/fleet?cause=${encodeURIComponent(cause.id)}`}>
            In the fleet
          </a>
        </span>
      </div>
      <table class="mx">
        <thead>
          <tr>
            <th>app</th>
            {columns.map((name) => (
              <th key={name}>
                {name === NO_ENVIRONMENT ? "" : name} {counts.get(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...lines]
            .sort((a, b) => a[0].localeCompare(b[0]))
            .map(([name, line]) => (
              <tr key={name}>
                <td title={name}>{name}</td>
                {columns.map((column) => {
                  const row = line.get(column);
                  return (
                    <td key={column}>
                      {row ? (
                        <a href={appLink(row)} aria-label={`${row.name}, ${stateOf(row)}`}>
                          <Shape look={lookOf(row)} label={stateOf(row)} />
                        </a>
                      ) : (
                        <span class="q">–</span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
