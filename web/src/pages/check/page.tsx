// A branch before its merge: choose one, wait while every app is rendered on both sides, and read what the merge does.
import { useEffect } from "preact/hooks";
import { query } from "../../lib/api";
import type { Checked, CheckRepositories, CheckRepository, Preview } from "../../lib/types";
import { go, useWhere } from "../../lib/url";
import { type Read, useRead, useTitle } from "../../lib/use";
import { count, plural } from "../../lib/words";
import { CopyButton } from "../../ui/copy";
import { Failed, Note } from "../../ui/note";
import { Result } from "./result";
import { comment, tally, verdict } from "./words";

const CHECK = "/api/v1/syncline/check";

export function CheckPage() {
  const where = useWhere();
  const listed = useRead<CheckRepositories>(`${CHECK}/repositories`);
  const repo = where.params.get("repo") ?? listed.data?.repositories[0]?.url ?? "";
  const known = useRead<CheckRepositories>(repo ? `${CHECK}/repositories${query({ repo })}` : null);
  const branches = known.data?.repositories.find((one) => one.url === repo)?.branches ?? [];
  const head = where.params.get("head") ?? "";
  const base = where.params.get("base") ?? "";
  const asked = head && repo ? `${CHECK}${query({ repo, head, base })}` : null;
  const read = useChecked(asked);
  const found = read.data?.preview;
  useTitle(head ? `Check of ${head}` : "Check");
  return (
    <div class="page full">
      <main id="main">
        {head && (
          <p class="crumb">
            <a href="/check">Check</a> <span>/</span> <b>{head}</b>{" "}
            <span>into {base || branches[0] || "the default branch"}</span>
          </p>
        )}
        <div class="lead">
          <div>
            <h1 class="app">{headline(head, read)}</h1>
            {found && read.data && <Facts checked={read.data} found={found} />}
          </div>
          {found && read.data && (
            <div class="acts">
              <CopyButton main text={comment(read.data, found)} label="Copy as PR comment" />
              <a class="btn" href={`/check${query({ repo: where.params.get("repo") })}`}>
                Check another
              </a>
            </div>
          )}
        </div>
        {!found && listed.data && listed.data.repositories.length > 0 && (
          <Form repo={repo} head={head} base={base} branches={branches} repositories={listed.data.repositories} />
        )}
        {listed.failure && <Failed failure={listed.failure} what="The list of repositories" again={listed.again} />}
        {listed.data && !listed.data.repositories.length && (
          <Note look="unk">
            <b>There is no repository to check.</b> A branch is shown to accounts that may see its repository and every
            app that comes from it.
          </Note>
        )}
        {asked && read.failure && <Failed failure={read.failure} what="The branch" again={read.again} />}
        {asked && !found && !read.failure && <Progress checked={read.data} head={head} />}
        {found && <Result found={found} where={where} />}
        {!asked && (
          <p class="q gap">
            The same in a terminal or in CI, without a server: <span class="m">syncline preview</span> and{" "}
            <span class="m">syncline check</span>
          </p>
        )}
      </main>
    </div>
  );
}

/** Read the look at a branch, again while it runs: each time a moment after the last answer. */
function useChecked(path: string | null): Read<Checked> {
  const read = useRead<Checked>(path);
  const { again, at, busy } = read;
  const running = read.data?.state === "running" && !read.failure;
  useEffect(() => {
    if (!running || busy || !at) return;
    const timer = setTimeout(again, 700);
    return () => clearTimeout(timer);
  }, [running, busy, at, again]);
  return read;
}

function headline(head: string, read: Read<Checked>): string {
  if (read.data?.preview) return verdict(read.data.preview);
  if (head && read.failure) return `Nothing is known about ${head}.`;
  return head ? `Looking at ${head}.` : "Check a branch before it is merged.";
}

function Facts({ checked, found }: { checked: Checked; found: Preview }) {
  return (
    <p class="facts">
      <span>
        {plural(found.total, "app")}: {tally(found).join(", ")}, <b>{count(found.equal)} proven equal</b>
      </span>
      <span class="m">
        {checked.base.slice(0, 7)} → {checked.head.slice(0, 7)}
      </span>
      <span class="q">
        {plural(found.objects, "object")} in {checked.seconds.toFixed(1)} s
      </span>
    </p>
  );
}

function Progress({ checked, head }: { checked: Checked | undefined; head: string }) {
  const { done, known, last } = checked?.progress ?? { done: 0, known: 0, last: "" };
  return (
    <div class="gap">
      <p class="q" role="status">
        {known
          ? `Rendered ${count(done)} of ${count(known)} apps known so far, ${last} last.`
          : `Reading ${head} and what it is to be merged into.`}
      </p>
      {known > 0 && <progress value={done} max={known} aria-label="Apps rendered" />}
    </div>
  );
}

interface FormProps {
  repo: string;
  head: string;
  base: string;
  branches: string[];
  repositories: CheckRepository[];
}

function Form({ repo, head, base, branches, repositories }: FormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    go(`/check${query({ repo: text("repo"), base: text("base"), head: text("head") })}`);
  };
  return (
    <form class="checkform" onSubmit={submit} key={`${repo} ${head} ${base}`}>
      <label>
        Repository
        <select
          class="field"
          name="repo"
          value={repo}
          onChange={(event) => go(`/check${query({ repo: event.currentTarget.value })}`)}
        >
          {repositories.map((one) => (
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
        into
        <input
          class="field"
          name="base"
          list="branches"
          defaultValue={base}
          placeholder={branches[0] ?? ""}
          autocomplete="off"
        />
      </label>
      <datalist id="branches">
        {branches.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="submit" class="btn pri">
        Check
      </button>
    </form>
  );
}
