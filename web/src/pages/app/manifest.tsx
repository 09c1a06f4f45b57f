// What Git renders, object by object; each line can be asked who set it.
import { useMemo } from "preact/hooks";
import { appPath } from "../../lib/api";
import type { Blame, ObjectRef } from "../../lib/types";
import { go, type Where, withParams } from "../../lib/url";
import { useRead } from "../../lib/use";
import { refKey, value } from "../../lib/words";
import { asYaml } from "../../lib/yaml";
import { type YamlLine, yamlLines } from "../../lib/yamllines";
import { CopyButton } from "../../ui/copy";
import { Failed, Reading } from "../../ui/note";
import { Obj } from "../../ui/object";
import type { TabProps } from "./props";

interface Manifests {
  manifests: string[] | null;
  revision?: string;
}
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

export function Manifest({ name, where }: TabProps) {
  const read = useRead<Manifests>(appPath(name, "manifests"));
  const objects = useMemo(() => (read.data?.manifests ?? []).map(parsed), [read.data]);
  if (!read.data)
    return read.failure ? (
      <Failed failure={read.failure} what="What Git renders" again={read.again} />
    ) : (
      <Reading what="what Git renders" />
    );
  const chosen = objects.find((one) => refKey(one) === where.params.get("object")) ?? objects[0];
  if (!chosen) return <p class="none">Git renders no object for this app.</p>;
  return (
    <section class="ftab">
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
          <Lines of={chosen} where={where} />
          <BlameBox of={chosen} name={name} path={where.params.get("path")} />
        </div>
      </div>
    </section>
  );
}

function Lines({ of, where }: { of: Parsed; where: Where }) {
  const lines = useMemo(() => yamlLines(of.object), [of]);
  const path = where.params.get("path");
  return (
    <div class="frame">
      <div class="fh">
        <span class="src">{refKey(of)}</span>
        <span class="end">
          choose a line to see who set it
          <CopyButton small label="Copy" text={asYaml(of.object)} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard */}
      <ol class="tall" tabIndex={0} aria-label={`Lines of ${of.kind} ${of.name}`}>
        {lines.map((line, i) => (
          <li key={i} class={line.path && line.path === path ? "pick" : ""}>
            <span>{i + 1}</span>
            <span />
            {line.path ? <Asking line={line} /> : <span>{line.text}</span>}
          </li>
        ))}
      </ol>
    </div>
  );
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
  const object = `${of.group ? `${of.group}/` : ""}${of.kind}:${of.namespace ? `${of.namespace}/` : ""}${of.name}`;
  const read = useRead<Blame>(
    path ? appPath(name, "blame", { object: of.namespace ? object : `${of.kind}/${of.name}`, path }) : null,
  );
  if (!path)
    return (
      <p class="q">
        The same in a terminal:{" "}
        <span class="m">
          syncline blame {of.kind}/{of.name} PATH
        </span>
      </p>
    );
  return (
    <section aria-label="Blame" class="blame">
      <div class="sh-row">
        <h2>Who set this</h2>
        <span class="m q">{path}</span>
      </div>
      {read.failure?.status === 404 && (
        <p class="q">
          This server does not answer that yet. In a terminal:{" "}
          <span class="m">
            syncline blame {of.kind}/{of.name} {path}
          </span>
        </p>
      )}
      {read.failure && read.failure.status !== 404 && !read.data && (
        <Failed failure={read.failure} what="The origin" again={read.again} />
      )}
      {!read.data && !read.failure && <Reading what="where it comes from" rows={2} />}
      {read.data && (
        <>
          <p>
            It is <span class="m">{value(read.data.value)}</span>.
          </p>
          <ol class="evs">
            {read.data.causes.map((cause, i) => (
              <li class="bl" key={i}>
                <span class="tag">{cause.kind}</span>
                <span class="src">{cause.place}</span>
                <span class="m">{cause.text}</span>
              </li>
            ))}
          </ol>
          {!read.data.causes.length && <p class="q">Nothing in Git sets it: a default, or a tool that does not say.</p>}
        </>
      )}
    </section>
  );
}
