// A branch before its merge: what the merge will do, and which mistakes it brings.
import { query } from "../../lib/api";
import { severityLook } from "../../lib/look";
import type { Finding } from "../../lib/types";
import { go, useWhere } from "../../lib/url";
import { useRead, useTitle } from "../../lib/use";
import { count, plural } from "../../lib/words";
import { CopyButton } from "../../ui/copy";
import { FixView } from "../../ui/fix";
import { Frame } from "../../ui/frame";
import { Failed, Note, Reading } from "../../ui/note";
import { Told } from "../../ui/object";
import { Seg } from "../../ui/seg";
import { Shape } from "../../ui/shape";

interface Repository {
  url: string;
  branches: string[];
}
interface Checked {
  repository: string;
  head: string;
  base: string;
  findings: Finding[];
  already: Finding[];
  gone: number;
  apps: { total: number; changed: string[]; equal: number; unknown: { app: string; problem: string }[] };
  changes: {
    app: string;
    object: string;
    kind: string;
    path: string;
    before: unknown;
    after: unknown;
    place: string;
  }[];
  seconds: number;
}

export function CheckPage() {
  const where = useWhere();
  const places = useRead<{ repositories: Repository[] }>("/api/v1/syncline/check/repositories");
  const repository = where.params.get("repo") ?? places.data?.repositories[0]?.url ?? "";
  const known = places.data?.repositories.find((one) => one.url === repository);
  const head = where.params.get("head") ?? "";
  const base = where.params.get("base") ?? "";
  const asked = head && repository ? `/api/v1/syncline/check${query({ repo: repository, head, base })}` : null;
  const read = useRead<Checked>(asked);
  useTitle("Check");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    go(
      `/check${query({ repo: String(form.get("repo") ?? ""), base: String(form.get("base") ?? ""), head: String(form.get("head") ?? "") })}`,
    );
  };
  const title = read.data ? verdict(read.data) : "Check a branch before it is merged.";
  return (
    <div class="page full">
      <main id="main">
        <h1 class="app">{title}</h1>
        {read.data && (
          <p class="facts">
            <span>
              {plural(read.data.apps.total, "app")}: {read.data.apps.changed.length} change,{" "}
              <b>{read.data.apps.equal} proven equal</b>, {read.data.apps.unknown.length} unknown
            </span>
            <span class="m">
              {read.data.base.slice(0, 7)} → {read.data.head.slice(0, 7)}
            </span>
            <span class="q">in {read.data.seconds.toFixed(1)} s</span>
          </p>
        )}
        {places.data && (
          <form class="checkform" onSubmit={submit}>
            <label>
              Repository
              <select
                class="field"
                name="repo"
                value={repository}
                onChange={(event) => go(`/check${query({ repo: event.currentTarget.value })}`)}
              >
                {(places.data?.repositories ?? []).map((one) => (
                  <option key={one.url} value={one.url}>
                    {one.url}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Branch, tag or commit
              <input class="field" name="head" list="branches" defaultValue={head} required autocomplete="off" />
            </label>
            <label>
              against
              <input
                class="field"
                name="base"
                list="branches"
                defaultValue={base || known?.branches[0] || ""}
                autocomplete="off"
              />
            </label>
            <datalist id="branches">
              {(known?.branches ?? []).map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
            <button type="submit" class="btn pri">
              Check
            </button>
          </form>
        )}
        {places.failure?.status === 404 && (
          <Note look="unk">
            <b>This server does not check branches yet.</b> Run <span class="m">syncline check</span> in the repository,
            or in CI.
          </Note>
        )}
        {places.failure && places.failure.status !== 404 && (
          <Failed failure={places.failure} what="The list of repositories" again={places.again} />
        )}
        {places.data && !places.data.repositories.length && (
          <p class="none">No app names a repository that this server can read.</p>
        )}
        {asked && read.failure && <Failed failure={read.failure} what="The check" again={read.again} />}
        {asked && !read.data && !read.failure && (
          <Reading what={`${head} against ${base || "the tracked branch"}, rendering every app on both sides`} />
        )}
        {read.data && <Result checked={read.data} show={where.params.get("only") ?? "new"} where={where} />}
        {!asked && (
          <p class="q gap">
            The same in a terminal or in CI, without a server: <span class="m">syncline check</span>
          </p>
        )}
      </main>
    </div>
  );
}

function verdict(found: Checked): string {
  const errors = found.findings.filter((one) => one.severity === "error").length;
  const what = found.apps.changed.length
    ? `This change touches ${plural(found.apps.changed.length, "app")}.`
    : "This change touches no app.";
  return errors ? `${what} Look at ${plural(errors, "new error")} before you merge.` : `${what} No new error.`;
}

function Result({ checked, show, where }: { checked: Checked; show: string; where: ReturnType<typeof useWhere> }) {
  const findings = show === "new" ? checked.findings : checked.already;
  return (
    <>
      <section>
        <div class="sh-row">
          <h2>Changes by field</h2>
          <span class="q">
            {count(checked.changes.length)} in {plural(checked.apps.changed.length, "app")}
          </span>
        </div>
        <ul class="evs">
          {checked.changes.slice(0, 200).map((one, i) => (
            <li class="sd" key={i}>
              <span class="op">{one.kind}</span>
              <b>{one.app}</b>
              <span class="obj">{one.object}</span>
              <span>
                <span class="m">{one.path}</span>{" "}
                {one.before !== undefined && one.before !== null && <del class="m">{text(one.before)}</del>}
                {one.after !== undefined && one.after !== null && (
                  <>
                    {" → "}
                    <ins class="m">{text(one.after)}</ins>
                  </>
                )}
              </span>
              <span class="src end">{one.place}</span>
            </li>
          ))}
        </ul>
        {checked.apps.unknown.map((one) => (
          <div class="gap" key={one.app}>
            <Note look="unk">
              <b>{one.app}</b> could not be compared: “{one.problem}” It is unknown, not equal.
            </Note>
          </div>
        ))}
      </section>
      <section>
        <div class="sh-row">
          <h2>Findings</h2>
          <span class="end">
            <Seg
              name="only"
              value={show}
              usual="new"
              where={where}
              options={[
                ["new", `New ${checked.findings.length}`],
                ["already", `Already there ${checked.already.length}`],
              ]}
            />
          </span>
        </div>
        {!findings.length && (
          <p class="none">
            <Shape look="ok" /> None.{" "}
            {checked.gone
              ? `${plural(checked.gone, "finding")} of before ${checked.gone === 1 ? "is" : "are"} gone with this change.`
              : ""}
          </p>
        )}
        {findings.slice(0, 100).map((finding, i) => (
          <FindingView key={i} finding={finding} />
        ))}
      </section>
    </>
  );
}

function text(of: unknown): string {
  const told = typeof of === "string" ? of : JSON.stringify(of);
  return told.length > 120 ? `${told.slice(0, 120)}…` : told;
}

function FindingView({ finding }: { finding: Finding }) {
  const code = (finding.evidence ?? []).filter((one) => one.place).slice(0, 2);
  return (
    <div class="fnd">
      <div class="h">
        <Shape look={severityLook(finding.severity)} label={finding.severity} />
        <b>
          {finding.code} {finding.name}
        </b>
        <span>
          <Told text={finding.message} />
        </span>
        <span class="end">{finding.subject}</span>
      </div>
      {code.map((one, i) => (
        <Frame
          key={i}
          place={`${one.place!.file}:${one.place!.line}`}
          lines={one.text.split("\n").map((line, n) => ({ n: one.place!.line + n, text: line, guilty: n === 0 }))}
        />
      ))}
      {finding.fix && (
        <div class="fx">
          <FixView fix={finding.fix} options={finding.options} />
          {finding.fix.command && <CopyButton small text={finding.fix.command} label="Copy" />}
        </div>
      )}
    </div>
  );
}
