// From the first bad thing to this app, hop by hop: what it is, how it shows, what was read where.
import { type Look, severityLook } from "../../lib/look";
import type { Application, Cause, Evidence, Explanation, Finding, ObjectRef, TreeNode } from "../../lib/types";
import { moment, refKey, refText, thingText } from "../../lib/words";
import type { Nodes } from "./tree";

export interface Quote {
  text: string;
  from: string;
}

export interface CodeLine {
  place: string;
  line: number;
  text: string;
}

export interface Hop {
  key: string;
  name: string;
  ref?: ObjectRef;
  look: Look;
  state: string;
  link: string;
  quotes: Quote[];
  facts: string[];
  code: CodeLine[];
  first: boolean;
  more: number;
  /** The name counts things and is none itself: `63 ExternalSecrets`. */
  counted?: boolean;
}

const LINKS: Record<string, string> = {
  declared: "declared reference",
  owned: "owner reference",
  text: "named in a message",
  time: "maybe: only close in time",
};
const SURE: Record<string, string> = {
  declared: "certain: every hop is a declared reference or an owner",
  owned: "certain: every hop is an owner",
  text: "likely: a hop rests on the words of a message",
  time: "maybe: a hop rests on time alone",
};

export function sureness(finding: Finding | undefined): string {
  return SURE[finding?.confidence ?? "declared"] ?? "";
}

const QUOTED = new Set(["condition", "event", "message", "log"]);

function told(evidence: Evidence[], said = ""): Pick<Hop, "quotes" | "facts" | "code"> {
  const quotes: Quote[] = [];
  const facts: string[] = [];
  const code: CodeLine[] = [];
  for (const one of evidence) {
    const place = one.place && `${one.place.file}:${one.place.line}`;
    if (one.place && place && one.kind === "file" && one.text)
      code.push({ place, line: one.place.line, text: one.text });
    else if (place && !said.includes(place)) facts.push(one.text ? `${place}: ${one.text}` : place);
    else if (place) continue;
    else if (QUOTED.has(one.kind))
      quotes.push({ text: one.text, from: [one.path, moment(one.time)].filter(Boolean).join(", ") });
    else if (one.kind !== "command") facts.push([one.path, one.text].filter(Boolean).join(": "));
  }
  return { quotes: quotes.slice(0, 3), facts: facts.slice(0, 4), code: code.slice(0, 3) };
}

function ofFinding(finding: Finding, first: boolean): Hop {
  const subject = finding.evidence?.find((one) => one.subject)?.subject;
  return {
    key: `finding:${finding.code}:${finding.subject}`,
    name: finding.subject,
    ...(subject && refText(subject).includes(finding.subject.split("/").at(-1)!) ? { ref: subject } : {}),
    look: severityLook(finding.severity),
    state: afterSubject(finding),
    link: first
      ? `first bad node${finding.since ? `, since ${moment(finding.since)}` : ""}`
      : (LINKS[finding.confidence ?? "declared"] ?? ""),
    ...told(finding.evidence ?? [], finding.message),
    first,
    more: 0,
  };
}

/** The message without the subject that it begins with. */
function afterSubject(finding: Finding): string {
  const { message, subject } = finding;
  if (message.startsWith(`${subject}: `)) return message.slice(subject.length + 2);
  return message.startsWith(`${subject} `) ? message.slice(subject.length + 1) : message;
}

function inApp(tree: Nodes): (ref: ObjectRef) => TreeNode | undefined {
  const found = new Map(tree.nodes.map((node) => [refKey(node), node]));
  return (ref) => found.get(refKey(ref));
}

/** Hops of one kind in this app: its own objects in that state, else those of its namespaces among the examples. */
function between(cause: Cause, tree: Nodes, app: Application, words: string): Hop[] {
  const hops: Hop[] = [];
  const known = inApp(tree);
  const spaces = new Set(
    [app.spec.destination?.namespace, ...tree.nodes.map((node) => node.namespace)].filter(Boolean),
  );
  for (const link of cause.chain ?? []) {
    if (link.kind === "Application") continue;
    const sick = tree.nodes.filter(
      (node) =>
        node.kind === link.kind && node.health?.status && !["Healthy", "Suspended"].includes(node.health.status),
    );
    const named = (link.examples ?? [])
      .map((thing) => thing.key)
      .filter((key): key is ObjectRef => !!key && spaces.has(key.namespace));
    const own = sick.length ? sick : named.filter((ref) => known(ref));
    // Of what is absent, only what this app's own objects or findings name: others are other apps' trouble.
    const missed =
      link.state === "absent"
        ? named.filter((ref) => words.includes(ref.name) || hops.some((hop) => hop.ref?.name === ref.name))
        : [];
    const some: ObjectRef[] = own.length ? own : missed;
    const first = some[0];
    if (!first) continue;
    const node = known(first);
    hops.push({
      key: `object:${refKey(first)}`,
      name: refText(first),
      ref: first,
      look: "bad",
      state: node?.health?.status === "Missing" ? "absent" : link.state,
      link: LINKS[cause.finding.confidence ?? "declared"] ?? "",
      quotes: node?.health?.message ? [{ text: node.health.message, from: "health" }] : [],
      facts: [],
      code: [],
      first: false,
      more: some.length - 1,
    });
  }
  return hops;
}

type Verdict = Pick<Explanation, "sync" | "health" | "findings">;

export function hopsOf(explanation: Verdict, cause: Cause | undefined, tree: Nodes, app: Application): Hop[] {
  const telling = explanation.findings.filter((finding) => finding.severity !== "info");
  // What is about the app itself stands with the app, at the end, unless it is all there is.
  const about = telling.filter((finding) => finding.subject === app.metadata.name);
  const others = telling.filter((finding) => !about.includes(finding));
  const findings = cause || others.length ? others : telling;
  const hops: Hop[] = [];
  if (cause) {
    const head = ofFinding(cause.finding, true);
    const name = thingText(cause.thing);
    hops.push({ ...head, name: name || head.name, ...(cause.thing.key ? { ref: cause.thing.key } : {}) });
    hops.push(...between(cause, tree, app, JSON.stringify(findings)));
  }
  for (const finding of findings) {
    if (cause && finding.code === cause.finding.code && finding.subject === cause.finding.subject) continue;
    const hop = ofFinding(finding, !hops.length);
    const same = hops.find((one) => one.ref && hop.ref && refKey(one.ref) === refKey(hop.ref));
    if (!same) hops.push(hop);
    else if (!same.first) {
      same.quotes = hop.quotes.length ? hop.quotes : same.quotes;
      same.facts = hop.facts;
      same.code = hop.code;
    }
  }
  const health = app.status?.health;
  const own = findings === telling ? [] : about;
  hops.push({
    key: "app",
    name: `Application/${app.metadata.name}`,
    ref: { kind: "Application", name: app.metadata.name },
    look: hops.length ? "bad" : "ok",
    state: [explanation.sync === "Synced" ? "" : explanation.sync, explanation.health].filter(Boolean).join(", "),
    link: "owner references",
    quotes: health?.message ? [{ text: health.message, from: "status.health.message" }] : [],
    facts: [
      ...own.map((finding) => finding.message),
      ...(health?.lastTransitionTime ? [`since ${moment(health.lastTransitionTime)}`] : []),
    ],
    code: [],
    first: false,
    more: 0,
  });
  return once(hops);
}

/** Tells each message, field and line once, where it is met first. */
function once(hops: Hop[]): Hop[] {
  const met = new Set<string>();
  const fresh = (text: string) => {
    const bare = text.replace(/^[\w.[\]]+: /, "");
    if ([...met].some((one) => one.includes(bare))) return false;
    met.add(bare);
    return true;
  };
  return hops.map((hop) => ({
    ...hop,
    quotes: hop.quotes.filter((quote) => quote.text !== hop.state && fresh(quote.text)),
    facts: hop.facts.filter(fresh),
    code: hop.code.filter((code) => fresh(`${code.place} ${code.text}`)),
  }));
}
