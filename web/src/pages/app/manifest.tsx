// What Git renders, object by object; each line can be asked who set it.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { appPath } from "../../lib/api";
import type { Blame, Manifests, ObjectBlame, ObjectRef } from "../../lib/types";
import { go, type Where, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { refKey, shortRevision, value } from "../../lib/words";
import { asYaml } from "../../lib/yaml";
import { type YamlLine, yamlLines } from "../../lib/yamllines";
import { Commit, commitTitle, person } from "../../ui/commit";
import { CopyButton } from "../../ui/copy";
import { Failed, Outdated, Reading } from "../../ui/note";
import { Obj } from "../../ui/object";
import type { TabProps } from "./props";

interface Parsed extends ObjectRef {
  object: Record<string, unknown>;
}

function parsed(text: string): Parsed {
  const object = JSON.parse(text) as {
    apiVersion?: string;
    kind?: string;
    metadata?: { name?: string; namespace?: string };
  };
  const group = object.apiVersion?.includes("/") ? object.apiVersion.split("/")[0]! : "";
  return {
    object: object as Record<string, unknown>,
    group,
    kind: object.kind ?? "?",
    name: object.metadata?.name ?? "?",
    namespace: object.metadata?.namespace ?? "",
  };
}

export function Manifest({ name, where, version }: TabProps & { version: number }) {
  const read = useRead<Manifests>(appPath(name, "manifests"));
  // another commit may render something else
  useEffect(() => {
    if (version > 1) read.again();
  }, [version]);
  const objects = useMemo(() => (read.data?.manifests ?? []).map(parsed), [read.data]);
  if (!read.data)
    return read.failure ? (
      <Failed failure={read.failure} what="What Git renders" again={read.again} />
    ) : (
      <Reading what="what Git renders" />
    );
  const wanted = where.params.get("object") ?? "";
  // What a source leaves without a namespace is shown so; links to it name the one that it gets.
  const bare = wanted.replace(/:[^/]*\//, ":/");
  const chosen =
    objects.find((one) => refKey(one) === wanted) ?? objects.find((one) => refKey(one) === bare) ?? objects[0];
  if (!chosen) return <p class="none">Git renders no object for this app.</p>;
  return (
    <section class="ftab">
      <Outdated read={read} what="What Git renders" />
      <div class="uni">
        <ul class="small" aria-label="Objects">
          {objects.map((one) => (
            <li key={refKey(one)}>
              <a
                href={withParams({ object: refKey(one), path: null }, where)}
                aria-current={one === chosen ? "true" : undefined}
              >
                <Obj of={{ ...one, namespace: "" }} />
              </a>
            </li>
          ))}
        </ul>
        <div class="mani">
          <Lines of={chosen} name={name} where={where} />
          <BlameBox of={chosen} name={name} path={where.params.get("path")} />
        </div>
      </div>
    </section>
  );
}

function Lines({ of, name, where }: { of: Parsed; name: TabProps["name"]; where: Where }) {
  const lines = useMemo(() => yamlLines(of.object), [of]);
  const read = useRead<ObjectBlame>(appPath(name, "blame", { object: refKey(of) }));
  // what is rendered again was maybe written by somebody else
  const first = useRef(of);
  useEffect(() => {
    if (first.current !== of) read.again();
  }, [of]);
  const written = useMemo(() => new Map((read.data?.fields ?? []).map((one) => [one.path, one])), [read.data]);
  const path = where.params.get("path");
  let before = "";
  return (
    <div class="frame">
      <div class="fh">
        <span class="src">{refKey(of)}</span>
        <span class="end">
          {read.data ? (
            read.data.tool === "Helm" && "lines are those of the template; choose one for the values behind it"
          ) : (
            <Origins failed={!!read.failure} />
          )}
          <CopyButton small label="Copy" text={asYaml(of.object)} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard */}
      <ol class="tall blamed" tabIndex={0} aria-label={`Lines of ${of.kind} ${of.name}`}>
        {lines.map((line, i) => {
          const field = line.path ? written.get(line.path) : undefined;
          const commit = field?.commit?.revision ?? "";
          const told = commit && commit !== before ? field!.commit! : undefined;
          if (commit) before = commit;
          return (
            <li key={i} class={line.path && line.path === path ? "pick" : ""}>
              <span class="wrote" title={field?.commit ? commitTitle(field.commit) : undefined}>
                {told && (
                  <>
                    <span class="m">{shortRevision(told.revision)}</span> {person(told.author)}
                  </>
                )}
              </span>
              <span class="n">{i + 1}</span>
              {line.path ? <Asking line={line} /> : <span>{line.text}</span>}
              <span class="at" title={field?.place}>
                {field?.place?.split("/").pop()}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Origins({ failed }: { failed: boolean }) {
  return failed ? <>who wrote the lines could not be read</> : <>reading who wrote the lines</>;
}

function Asking({ line }: { line: YamlLine }) {
  return (
    <button
      type="button"
      class="ask"
      title={`Who set ${line.path}?`}
      onClick={() => go(withParams({ path: line.path }))}
    >
      {line.text}
    </button>
  );
}

function BlameBox({ of, name, path }: { of: Parsed; name: TabProps["name"]; path: string | null }) {
  const read = useRead<Blame>(path ? appPath(name, "blame", { object: refKey(of), path }) : null);
  const command = `syncline blame ${of.kind}/${of.name} ${path ?? "PATH"}`;
  if (!path)
    return (
      <p class="q">
        Choose a line to see all that made it. The same in a terminal: <span class="m">{command}</span>
      </p>
    );
  return (
    <section aria-label="Blame" class="blame">
      <div class="sh-row">
        <h2>Who set this</h2>
        <span class="m q">{path}</span>
      </div>
      {read.failure && !read.data && <Failed failure={read.failure} what="The origin" again={read.again} />}
      {!read.data && !read.failure && (
        <Reading what="where it comes from; a chart is rendered again with other values" rows={2} />
      )}
      {read.data && <Causes found={read.data} />}
    </section>
  );
}

function Causes({ found }: { found: Blame }) {
  return (
    <>
      <p>
        It is <span class="m">{value(found.value)}</span>.
      </p>
      <ol class="evs">
        {found.causes.map((cause, i) => (
          <li class="bl" key={i}>
            <span class="tag">{cause.kind}</span>
            <span class="src">{cause.place}</span>
            <span>
              <span class="m">{cause.text}</span>
              {cause.commit && (
                <span class="o">
                  <Commit of={cause.commit} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
      {(found.warnings ?? []).map((text) => (
        <p class="q" key={text}>
          {text}
        </p>
      ))}
      {!found.causes.length && <p class="q">Nothing in Git sets it: a default, or a tool that does not say.</p>}
    </>
  );
}
