// Settings with their origin: what is set where, and what is not understood.

import type { SettingProblem, SettingRow, SettingsWithOrigin } from "../../lib/types";
import { go, useWhere, withParams } from "../../lib/url";
import { useRead, useTitle } from "../../lib/use";
import { plural } from "../../lib/words";
import { Note } from "../../ui/note";
import { Shape } from "../../ui/shape";
import { ListPage, Table } from "./frame";

/** What is wrong with a setting; undefined where it is understood. */
export function problemWith(one: SettingRow, problems: SettingProblem[]): SettingProblem | undefined {
  return problems.find((found) => found.home === one.home && found.key === one.key);
}

export function SettingsPage() {
  const read = useRead<SettingsWithOrigin>("/api/v1/syncline/settings", 10_000);
  const where = useWhere();
  useTitle("Settings");
  const q = where.params.get("q") ?? "";
  const all = read.data?.settings ?? [];
  const problems = read.data?.problems ?? [];
  const problemOf = (one: SettingRow) => problemWith(one, problems);
  const lost = all.filter(problemOf);
  const shown = all.filter((one) => `${one.key} ${one.home} ${one.origin}`.toLowerCase().includes(q.toLowerCase()));
  const title = !read.data
    ? "Settings"
    : lost.length
      ? `${plural(lost.length, "setting")} of ${all.length} not understood.`
      : all.length
        ? `${plural(all.length, "setting")}, each with its origin.`
        : "Nothing is set: every setting has its default.";
  return (
    <ListPage
      title={title}
      what="Settings"
      read={read}
      facts={<span class="q">values that may be secret are left out</span>}
    >
      {problems.map((one, i) => (
        <div class="gap" key={i}>
          <Note look="dec">
            <b>{one.home}</b> {one.message}
          </Note>
        </div>
      ))}
      <div class="sh-row">
        <input
          class="field"
          type="search"
          placeholder="Filter"
          aria-label="Filter settings"
          value={q}
          onInput={(event) => go(withParams({ q: event.currentTarget.value }), { replace: true })}
        />
      </div>
      <Table heads={["setting", "value", "from"]}>
        {shown.map((one) => (
          <tr key={`${one.home}/${one.key}`}>
            <td class="m">
              <Shape look={problemOf(one) ? "dec" : "ok"} label={problemOf(one) ? "not understood" : "understood"} />{" "}
              {one.key}
            </td>
            <td class="m">{text(one.value)}</td>
            <td>
              {one.origin || one.home}
              {problemOf(one) && <span class="q">: {problemOf(one)?.message}</span>}
            </td>
          </tr>
        ))}
      </Table>
    </ListPage>
  );
}

function text(of: unknown): string {
  if (of === undefined || of === null || of === "") return "";
  const told = typeof of === "string" ? of : JSON.stringify(of);
  return told.length > 160 ? `${told.slice(0, 160)}…` : told;
}
