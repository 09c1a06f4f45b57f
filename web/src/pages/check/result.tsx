// What the merge will do, every changed field, and the mistakes that are new.
import { findingLook } from "../../lib/look";
import type { CodeFrame, Effect, Finding, Preview } from "../../lib/types";
import type { Where } from "../../lib/url";
import { withParams } from "../../lib/url";
import { count, plural } from "../../lib/words";
import { FixView } from "../../ui/fix";
import { Frame } from "../../ui/frame";
import { Note } from "../../ui/note";
import { Obj, Told } from "../../ui/object";
import { Seg } from "../../ui/seg";
import { Shape } from "../../ui/shape";
import { type FieldRow, fieldRows } from "./fields";
import { appText, placeText } from "./names";
import { joined, KINDS } from "./words";

const FIRST = 4;
const ROWS = 60;
const FINDINGS = 40;

export function Result({ found, where }: { found: Preview; where: Where }) {
  return (
    <>
      <Consequences found={found} where={where} />
      <Fields found={found} where={where} />
      <Findings found={found} where={where} />
    </>
  );
}

function Consequences({ found, where }: { found: Preview; where: Where }) {
  const all = where.params.get("effects") === "all";
  if (!found.effects.length) return null;
  return (
    <section>
      <div class="sh-row">
        <h2>What the merge will do</h2>
        <span class="q">predicted from both commits</span>
      </div>
      <ul>
        {KINDS.map(([kind, label, look]) => {
          const effects = joined(found.effects.filter((one) => one.kind === kind));
          if (!effects.length) return null;
          const shown = all ? effects : effects.slice(0, FIRST);
          return (
            <li class="gr" key={kind}>
              <span class="g">
                <Shape look={look} />
                {label}
                <span class="n">{effects.length}</span>
              </span>
              <ul>
                {shown.map((one) => (
                  <EffectLine key={one.text} effect={one} />
                ))}
                {effects.length > shown.length && (
                  <li>
                    <a class="l" href={withParams({ effects: "all" }, where)}>
                      {effects.length - shown.length} more
                    </a>
                  </li>
                )}
              </ul>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function EffectLine({ effect }: { effect: Effect }) {
  const apps = effect.apps ?? [];
  return (
    <li>
      <span>
        <Told text={effect.text} />
        {apps.length > 0 && (
          <span class="q" title={apps.map(appText).join(", ")}>
            {" "}
            in {apps.length === 1 ? appText(apps[0]!) : plural(apps.length, "app")}
          </span>
        )}
      </span>
      <span class="end src">{placeText(effect.place)}</span>
    </li>
  );
}

function Fields({ found, where }: { found: Preview; where: Where }) {
  const { rows, fields, noise } = fieldRows(found.apps);
  const shown = where.params.get("fields") === "all" ? rows : rows.slice(0, ROWS);
  const unknown = found.apps.filter((one) => one.unknown);
  return (
    <section>
      <div class="sh-row">
        <h2>Changes by field</h2>
        <span class="q">
          {plural(fields, "field change")} in {plural(found.apps.length, "app")}; equal ones joined
          {noise ? `; ${count(noise)} that follow from others left out` : ""}
        </span>
      </div>
      {!rows.length && <p class="none">No app changes.</p>}
      <ul class={rows.length ? "sds" : ""}>
        {shown.map((row, i) => (
          <FieldLine key={i} row={row} />
        ))}
      </ul>
      {rows.length > shown.length && (
        <p class="more">
          <a class="l" href={withParams({ fields: "all" }, where)}>
            {plural(rows.length - shown.length, "more change")}
          </a>
        </p>
      )}
      {unknown.map((one) => (
        <Note look="unk" key={one.name}>
          <b>{appText(one.name)}</b> could not be compared: “{one.unknown}” It is unknown, not equal.
        </Note>
      ))}
      {found.unknown.length > 0 && (
        <Note look="unk">
          <b>{plural(found.unknown.length, "app")}</b> could not be rendered before nor after, so nothing is known of{" "}
          {found.unknown.length === 1 ? "it" : "them"}: {found.unknown.map(appText).slice(0, 12).join(", ")}
          {found.unknown.length > 12 ? " …" : ""}
        </Note>
      )}
    </section>
  );
}

function FieldLine({ row }: { row: FieldRow }) {
  return (
    <li class="sd">
      <span class="op">{row.mark}</span>
      <b title={row.apps.join(", ")}>
        {row.apps.length === 1 ? row.apps[0] : `${plural(row.apps.length, "app")}: ${row.apps[0]} …`}
      </b>
      <span>
        {row.object ? <Obj of={row.object} short /> : <span class="q">the app itself</span>}
        {row.objects > 1 && row.object && <span class="q"> and {row.objects - 1} more</span>}
      </span>
      <span>
        {row.say && <span>{row.say}</span>}
        {row.path && <span class="m">{row.path}</span>}{" "}
        {row.before !== undefined && <del class="m">{text(row.before)}</del>}
        {row.before !== undefined && row.after !== undefined && " → "}
        {row.after !== undefined && <ins class="m">{text(row.after)}</ins>}
      </span>
      <span class="src end" title={row.place}>
        {short(row.place)}
      </span>
    </li>
  );
}

/** A long path by its end, which tells files apart. */
function short(place: string): string {
  return place.length > 36 ? `…/${place.split("/").pop()}` : place;
}

function text(of: unknown): string {
  const told = typeof of === "string" ? of : JSON.stringify(of);
  return told.length > 160 ? `${told.slice(0, 160)}…` : told;
}

const LISTS = { new: "new", fixed: "fixed", kept: "kept" } as const;

function Findings({ found, where }: { found: Preview; where: Where }) {
  const only = (where.params.get("only") ?? "new") as keyof typeof LISTS;
  const list = found[LISTS[only] ?? "new"];
  return (
    <section>
      <div class="sh-row">
        <h2>Findings</h2>
        <span class="end">
          <Seg
            name="only"
            value={only}
            usual="new"
            where={where}
            options={[
              ["new", `New ${found.new.length}`],
              ["kept", `Already there ${found.kept.length}`],
              ["fixed", `Gone with this ${found.fixed.length}`],
            ]}
          />
        </span>
      </div>
      {!list.length && (
        <p class="none">
          <Shape look="ok" /> None.
        </p>
      )}
      {list.slice(0, FINDINGS).map((finding, i) => (
        <FindingView key={i} finding={finding} frame={only === "new" ? found.frames[i] : null} />
      ))}
      {list.length > FINDINGS && <p class="more">{list.length - FINDINGS} more: syncline check lists them all.</p>}
      {found.not_looked.map((one) => (
        <Note look="unk" key={one.what}>
          <b>Not checked{one.count > 1 ? ` (${one.count} apps)` : ""}:</b> <Told text={one.what} />
        </Note>
      ))}
    </section>
  );
}

function FindingView({ finding, frame }: { finding: Finding; frame: CodeFrame | null | undefined }) {
  const place = finding.evidence?.find((one) => one.place)?.place;
  return (
    <div class="fnd">
      <div class="h">
        <Shape look={findingLook(finding.severity)} label={finding.severity} />
        <b>
          {finding.code} {finding.name}
        </b>
        <span class="say">
          <Told text={finding.message} />
        </span>
        <span class="end">
          {(finding.count ?? 1) > 1 ? `${finding.count} times` : frame?.lines.length ? "" : placeText(place)}
        </span>
      </div>
      {frame && frame.lines.length > 0 && (
        <Frame
          place={frame.place}
          end="new in this change"
          lines={frame.lines.map((one) => ({ n: one.line, text: one.text, guilty: one.line === frame.line }))}
        />
      )}
      {finding.fix && (
        <div class="fx">
          <FixView fix={finding.fix} options={finding.options} />
        </div>
      )}
    </div>
  );
}
