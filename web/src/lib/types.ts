// What the server answers, as docs/reference/api.md tells it. Members with their default may be left out.

export interface ObjectRef {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}

export interface Place {
  file: string;
  line: number;
  column?: number;
}

export interface Evidence {
  kind: string;
  text: string;
  subject?: ObjectRef;
  path?: string;
  place?: Place;
  time?: string;
}

export interface Edit {
  place: Place;
  before?: string;
  after?: string;
}

export interface Fix {
  text?: string;
  edits?: Edit[];
  command?: string;
}

export type Severity = "error" | "warning" | "info";

export interface Finding {
  code: string;
  name: string;
  severity: Severity;
  subject: string;
  message: string;
  evidence?: Evidence[];
  confidence?: "declared" | "owned" | "text" | "time";
  fix?: Fix;
  options?: Fix[];
  since?: string;
  count?: number;
  effect_of?: string;
}

export interface Thing {
  cluster?: string;
  key?: ObjectRef;
  outside?: string;
  name?: string;
  absent?: boolean;
}

export interface Link {
  count: number;
  kind: string;
  state: string;
  examples?: Thing[];
}

export interface Cause {
  id: string;
  rank: number;
  thing: Thing;
  finding: Finding;
  affected?: string[];
  chain?: Link[];
  next_in_line?: string[];
  assumptions?: string[];
  apps?: Row[];
  patch?: { text: string; problems: string[]; repository?: string };
}

export interface RuledOut {
  text: string;
  because: string;
  count?: number;
}

export interface Diagnosis {
  as_of: string;
  origin: string;
  total: number;
  good: number;
  counts?: Record<string, number>;
  causes?: Cause[];
  repairs?: { cause: string; good_after: number }[];
  ruled_out?: RuledOut[];
  unexplained?: Finding[];
  unread?: string[];
  objects?: number;
}

export interface Explanation {
  app: string;
  sync: string;
  health: string;
  since: string;
  revision: string;
  findings: Finding[];
  unreadable?: string[];
  not_rendered?: string;
  causes?: { id: string; rank: number; title: string }[];
}

export interface Row {
  name: string;
  namespace: string;
  project: string;
  sync: string;
  health: string;
  operation: string;
  sentence: string;
  since: string;
  causes: string[];
  cluster: string;
  destinationNamespace: string;
  revision: string;
  auto: boolean;
  set: string;
  version: string;
}

export interface FleetCause {
  id: string;
  rank: number;
  code: string;
  name: string;
  title: string;
  severity: Severity;
  confidence?: string;
  thing: string;
  cluster?: string;
  object?: string;
  apps: number;
  since?: string;
  fix?: string;
  command?: string;
  files?: number;
  chain: string[];
  nextInLine?: string[];
}

export interface Fleet {
  asOf: string;
  /** How new this is: the stream goes on from here. */
  version: string;
  trouble: string;
  total: number;
  good: number;
  matching: number;
  counts: Record<string, Record<string, number>>;
  diagnosis: { state: string; asOf: string; seconds: number; message: string; late?: number };
  /** Differs when the diagnosis says something else of a row. */
  told: string;
  causes: FleetCause[];
  repairs: { cause: string; goodAfter: number }[];
  rows: Row[];
}

export interface TreeNode extends ObjectRef {
  version?: string;
  uid?: string;
  parentRefs?: (ObjectRef & { uid?: string })[];
  health?: { status?: string; message?: string };
  images?: string[];
  info?: { name: string; value: string }[];
  createdAt?: string;
}

export interface Tree {
  nodes: TreeNode[];
  orphanedNodes?: TreeNode[];
}

export interface Difference {
  path: string;
  desired: unknown;
  live: unknown;
  cause: string;
  manager?: string;
  time?: string;
  place?: string;
  commit?: CommitNote | null;
}

export interface ObjectDiff extends ObjectRef {
  key: string;
  verdict: string;
  missing?: boolean;
  extra?: boolean;
  reasons?: string[];
  message?: string;
  place?: string;
  differences?: Difference[];
  accepted?: { path: string; reason?: string; expires?: string; owner?: string; expired?: boolean }[];
  ignoreRule?: { entry: Record<string, unknown>; reason: string } | null;
}

export interface AppDiff {
  revisions: string[];
  modified: boolean;
  verdict: string;
  counts: Record<string, number>;
  objects: ObjectDiff[];
  problems?: string[];
}

export interface PlanTask {
  key: string;
  object: ObjectRef;
  phase: string;
  wave: number;
  action: "apply" | "hook" | "prune" | "keep";
  method?: string;
  reason?: string;
  detail?: string;
  refusal?: string;
  hookDeletePolicy?: string[] | string;
  changed?: boolean;
  place?: string;
}

/** Objects whose take-over has to be approved, by the digest of the list. */
export interface Adoption {
  digest: string;
  objects: { key: string; object: ObjectRef; app: string }[];
}

export interface Plan {
  app: string;
  revision: string;
  revisions: string[];
  digest: string;
  prune: boolean;
  partial: boolean;
  counts: Record<string, number>;
  tasks: PlanTask[];
  problems?: string[];
  notes?: string[];
  decision?: { kind: string; reason: string; message: string };
  adoption?: Adoption;
}

export type WaveState = "done" | "running" | "waiting" | "failed";

export interface WaveTask extends ObjectRef {
  key: string;
  action: string;
  state: WaveState;
  status?: string;
  message?: string;
  health?: string;
  hookPhase?: string;
}

export interface Wave {
  phase: string;
  wave: number;
  state: WaveState;
  done: number;
  total: number;
  tasks: WaveTask[];
}

export interface Waves {
  operation: {
    phase: string;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
    revision?: string;
  } | null;
  planned: boolean;
  current: number | null;
  waves: Wave[];
  waiting: { key: string; text: string; since?: string }[];
}

export interface TimelineEntry {
  time: string;
  lane: "git" | "sync" | "live" | "health" | "event";
  kind: string;
  title: string;
  text: string;
  object?: ObjectRef | null;
  by?: string;
  revision?: string;
  severity: Severity;
}

export interface Timeline {
  app: string;
  from: string;
  to: string;
  entries: TimelineEntry[];
}

/** Who wrote a line, and what they said about it. */
export interface CommitNote {
  revision: string;
  author: string;
  date: string;
  message: string;
}

export interface BlameCause {
  kind: string;
  place?: string;
  text: string;
  commit?: CommitNote | null;
}

export interface Blame {
  object: string;
  path: string;
  value: unknown;
  causes: BlameCause[];
  warnings?: string[];
}

/** Every field of an object, as far as texts tell who wrote it. */
export interface ObjectBlame {
  object: string;
  tool: string;
  fields: (BlameCause & { path: string })[];
}

export interface ResourceDiff extends ObjectRef {
  targetState?: string;
  liveState?: string;
  normalizedLiveState?: string;
  predictedLiveState?: string;
  modified?: boolean;
  hook?: boolean;
}

export interface KubeEvent {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string;
  lastTimestamp?: string;
  eventTime?: string;
  involvedObject?: ObjectRef;
  source?: { component?: string };
  reportingComponent?: string;
  metadata: { name: string; uid?: string; creationTimestamp?: string };
}

export interface HistoryEntry {
  id: number;
  revision?: string;
  revisions?: string[];
  deployedAt: string;
  deployStartedAt?: string;
  initiatedBy?: { username?: string; automated?: boolean };
}

export interface Application {
  metadata: {
    name: string;
    namespace: string;
    resourceVersion?: string;
    ownerReferences?: ObjectRef[];
    annotations?: Record<string, string>;
  };
  spec: {
    project?: string;
    source?: AppSource;
    sources?: AppSource[];
    destination?: { server?: string; name?: string; namespace?: string };
    syncPolicy?: { automated?: { prune?: boolean; selfHeal?: boolean; enabled?: boolean } };
  };
  status?: {
    sync?: { status?: string; revision?: string };
    health?: { status?: string; message?: string; lastTransitionTime?: string };
    conditions?: { type: string; message: string }[];
    resources?: (ObjectRef & {
      status?: string;
      health?: { status?: string; message?: string };
      hook?: boolean;
      requiresPruning?: boolean;
      syncWave?: number;
    })[];
    history?: HistoryEntry[];
    operationState?: {
      phase?: string;
      message?: string;
      startedAt?: string;
      finishedAt?: string;
      operation?: { initiatedBy?: { username?: string; automated?: boolean } };
    };
    reconciledAt?: string;
  };
}

export interface AppSource {
  repoURL: string;
  path?: string;
  chart?: string;
  targetRevision?: string;
}
