// The syncs of an app, newest first, and the way back to one. A way back shows its plan before it is asked for.
import { appPath } from "../../lib/api";
import type { HistoryEntry, RevisionMetadata } from "../../lib/types";
import { type Where, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { lasting, moment, plural, shortRevision } from "../../lib/words";
import type { TabProps } from "./props";

export function History({ app, name, where, maySync }: TabProps & { maySync: boolean }) {
  const entries = [...(app.status?.history ?? [])].reverse();
  const auto = app.spec.syncPolicy?.automated && app.spec.syncPolicy.automated.enabled !== false;
  return (
    <section class="ftab">
      <div class="sh-row">
        <h2>History and rollback</h2>
        <span class="q">
          {entries.length ? `${plural(entries.length, "sync")}, newest first` : "nothing was synced yet"}
          {auto && entries.length > 1
            ? "; this app syncs automatically, so a rollback would be undone at once: revert the commit instead"
            : ""}
        </span>
      </div>
      {entries.length > 0 && (
        <div class="scroll">
          <table class="tbl hist">
            <thead>
              <tr>
                <th>revision</th>
                <th>commit</th>
                <th>synced</th>
                <th>by</th>
                <th class="r">took</th>
                <th>
                  <span class="vh">way back</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry, i) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  current={i === 0}
                  name={name}
                  where={where}
                  way={maySync && !auto}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Entry({
  entry,
  current,
  name,
  where,
  way,
}: {
  entry: HistoryEntry;
  current: boolean;
  name: TabProps["name"];
  where: Where;
  way: boolean;
}) {
  const revision = entry.revision ?? entry.revisions?.[0] ?? "";
  const commit = /^[0-9a-f]{40,64}$/.test(revision);
  const told = useRead<RevisionMetadata>(commit ? appPath(name, `revisions/${revision}/metadata`) : null);
  const began = Date.parse(entry.deployStartedAt ?? "");
  const seconds = (Date.parse(entry.deployedAt) - began) / 1000;
  return (
    <tr>
      <td class="m nw">{shortRevision(revision)}</td>
      <td>{told.data?.message?.split("\n")[0] ?? (commit && told.busy ? "" : "–")}</td>
      <td class="nw q">{moment(entry.deployedAt)}</td>
      <td class="q nw">
        {entry.initiatedBy?.automated ? "automatically" : (entry.initiatedBy?.username ?? "by hand")}
      </td>
      <td class="q r nw">{seconds >= 0 ? lasting(seconds) : ""}</td>
      <td class="r">
        {current ? (
          <span class="q">current</span>
        ) : (
          way && (
            <a class="btn sm" href={withParams({ show: "sync", rollback: String(entry.id) }, where)}>
              Roll back…
            </a>
          )
        )}
      </td>
    </tr>
  );
}
