// Written by `python tools/build_page_types.py` from the table of routes; change src/syncline/server/answers instead.
// What the server answers, as docs/reference/api.md describes it. Members with a question mark may be left out.

/** Differences that somebody agreed to live with. */
export interface Accepted {
  schemaVersion: number;
  items: AcceptedItem[];
  problems: AcceptedProblem[];
}

/** A field that differs and does not count because somebody said so, or counts again because that has expired. */
export interface AcceptedDifference {
  path: string;
  reason: string;
  expires?: string;
  owner?: string;
  expired?: boolean;
}

/** A difference that somebody agreed to live with. */
export interface AcceptedItem {
  app: AppName;
  reason: string;
  expires: string;
  owner: string;
  rule: IgnoreDifference;
  expired: boolean;
}

/** An annotation that cannot be read. */
export interface AcceptedProblem {
  app: AppName;
  message: string;
}

/** A local account. */
export interface AccountAnswer {
  name: string;
  enabled: boolean;
  capabilities: string[];
  tokens: TokenAnswer[];
}

/** Local accounts. */
export interface AccountList {
  items: AccountAnswer[];
}

/** A parameter that an action takes. */
export interface ActionParameterName {
  name: string;
}

/** One write that an action made. */
export interface ActionStep {
  operation: string;
  key: string;
}

/** What an action did. */
export interface ActionSteps {
  steps: ActionStep[];
}

/** The windows of a project that are active. */
export interface ActiveWindows {
  windows: SyncWindow[];
}

/** An object that is tracked for an app which this installation does not know. */
export interface AdoptedObject {
  key: string;
  object: ObjectRef;
  app: string;
}

/** Objects whose take-over has to be approved, by the digest of the list. */
export interface Adoption {
  digest: string;
  objects: AdoptedObject[];
}

/** Never used; Argo CD's clients read it. */
export interface Analytics {
  trackingID: string;
  anonymizeUsers: boolean;
}

export type AnyBlame = Blame | ObjectBlame;

/** What becomes of an Application. */
export type AppAction = "created" | "changed" | "deleted" | "moved" | "renamed";

/** How an Application is synced automatically. */
export interface AppAutomation {
  prune?: boolean;
  selfHeal?: boolean;
  enabled?: boolean;
}

/** One Application that is not as it was; `settings` are the changed fields of the Application itself. */
export interface AppChange {
  name: string;
  action: AppAction;
  was?: string;
  cluster?: string;
  place?: Place;
  settings?: FieldEdit[];
  objects?: ObjectChange[];
  children?: number;
  size?: number;
  unknown?: string;
  unsteady?: boolean;
}

/** Something to know about an Application. */
export interface AppCondition {
  type: string;
  message: string;
}

/** Where an Application goes. */
export interface AppDestination {
  server?: string;
  name?: string;
  namespace?: string;
}

/** What differs in an Application. */
export interface AppDiff {
  schemaVersion: number;
  asOf: string;
  revisions: string[];
  modified: boolean;
  verdict: string;
  counts: Record<string, number>;
  objects: ObjectDiff[];
  problems: string[];
}

/** A folder that an Application could come from. */
export interface AppFolder {
  type: string;
  path: string;
}

/** Folders that Applications could come from. */
export interface AppFolders {
  items: AppFolder[];
}

/** The health of an Application or an object. */
export interface AppHealth {
  status?: string;
  message?: string;
  lastTransitionTime?: string;
}

/** The name of an Application. */
export interface AppName {
  namespace: string;
  name: string;
}

/** What was asked for. */
export interface AppOperation {
  initiatedBy?: Initiator;
}

/** How the last operation stands. */
export interface AppOperationState {
  phase?: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  operation?: AppOperation;
}

/** A project. */
export interface AppProject {
  metadata: ObjectMeta;
  spec?: ProjectSpec;
}

/** Projects; `fields` may leave out any member. */
export interface AppProjectList {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta;
  items?: Record<string, unknown>[];
}

/** One object of an Application in its status. */
export interface AppResource {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  status?: string;
  health?: AppHealth;
  hook?: boolean;
  requiresPruning?: boolean;
  syncWave?: number;
}

/** Where an Application comes from. */
export interface AppSource {
  repoURL: string;
  path?: string;
  chart?: string;
  targetRevision?: string;
}

/** What an Application wants. */
export interface AppSpec {
  project?: string;
  source?: AppSource;
  sources?: AppSource[];
  destination?: AppDestination;
  syncPolicy?: AppSyncPolicy;
}

/** How an Application is. */
export interface AppStatus {
  sync?: AppSyncStatus;
  health?: AppHealth;
  conditions?: AppCondition[];
  resources?: AppResource[];
  history?: HistoryEntry[];
  operationState?: AppOperationState;
  reconciledAt?: string;
}

/** When an Application is synced automatically. */
export interface AppSyncPolicy {
  automated?: AppAutomation;
}

/** The verdict of a comparison. */
export interface AppSyncStatus {
  status?: string;
  revision?: string;
}

/** What happened to an Application, newest first. */
export interface AppTimeline {
  schemaVersion: number;
  app: string;
  from: string;
  to: string;
  entries: TimelineEntry[];
}

/** A window as it concerns an Application. */
export interface AppWindow {
  kind: string;
  schedule: string;
  duration: string;
  manualSync: boolean;
}

/** The windows of an Application. */
export interface AppWindows {
  activeWindows: AppWindow[];
  assignedWindows: AppWindow[];
  canSync: boolean;
  standing?: SyncWindows;
}

/** An Application. */
export interface Application {
  metadata: NamespacedMeta;
  spec: AppSpec;
  status?: AppStatus;
}

/** An Application that was added, changed or deleted, with the members that `fields` chose. */
export interface ApplicationEvent {
  type?: string;
  application?: Record<string, unknown>;
}

/** Applications, with the members that `fields` chose. */
export interface ApplicationList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: Record<string, unknown>[];
}

/** A set. */
export interface ApplicationSet {
  metadata: NamespacedMeta;
  spec?: SetSpec;
  status?: SetStatus;
}

/** A set that was added, changed or deleted. */
export interface ApplicationSetEvent {
  type: string;
  applicationSet: ApplicationSet;
}

/** Sets. */
export interface ApplicationSetList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: ApplicationSet[];
}

/** All that made one field. */
export interface Blame {
  schemaVersion: number;
  object: string;
  path: string;
  value: unknown;
  causes: BlameCause[];
  warnings: string[];
}

/** What made a field. */
export interface BlameCause {
  kind: string;
  place: string;
  text: string;
  commit: CommitNote | null;
}

/** One way to break the demo: what happens, the same as a command, and how it stands. */
export interface Break {
  name: string;
  title: string;
  command: string;
  app: string;
  broken: boolean;
  said: string;
}

/** How much of a cluster is followed. */
export interface CacheInfo {
  resourcesCount: number;
  apisCount: number;
}

/** Whether the caller may do something. */
export interface CanI {
  value: "no" | "yes";
}

/** One cause with all about it; `apps` and `patch` come with a single one. */
export interface Cause {
  id: string;
  rank: number;
  thing: Thing;
  finding: Finding;
  affected?: string[];
  later?: string[];
  removes?: string[];
  chain?: Link[];
  next_in_line?: string[];
  assumptions?: string[];
  afterwards?: string[];
  code: string;
  name: string;
  cluster: string;
  object: string;
  outside: string;
  apps?: Row[];
  patch?: CausePatch;
}

/** The edits of a fix as `git apply` takes them, and what does not fit. */
export interface CausePatch {
  text: string;
  problems: string[];
  repository?: string;
}

/** A cause in one line. */
export interface CauseTitle {
  id: string;
  rank: number;
  title: string;
}

/** A server whose certificate is trusted. */
export interface CertificateAnswer {
  serverName: string;
  certType: string;
}

/** Certificates. */
export interface CertificateList {
  metadata: NoMeta;
  items: CertificateAnswer[];
}

/** The charts of a repository. */
export interface ChartList {
  items: ChartVersions[];
}

/** A chart and its versions. */
export interface ChartVersions {
  name: string;
  versions: string[];
}

/** How far a look at a branch is. */
export interface CheckProgress {
  done: number;
  known: number;
  last: string;
}

/** The repositories whose branches may be looked at. */
export interface CheckRepositories {
  schemaVersion: number;
  repositories: CheckRepository[];
}

/** A repository whose branches may be looked at. */
export interface CheckRepository {
  url: string;
  apps: number;
  branches: string[];
}

/** A look at a branch. */
export interface Checked {
  schemaVersion: number;
  repository: string;
  state: "ready" | "running";
  base: string;
  head: string;
  progress: CheckProgress;
  seconds: number;
  preview?: Preview;
}

/** How a cluster is spoken to, without what proves who we are. */
export interface ClientConfig {
  tlsClientConfig: Record<string, boolean>;
}

/** A cluster. */
export interface ClusterAnswer {
  server: string;
  name: string;
  project: string;
  namespaces: string[];
  clusterResources: boolean;
  labels: Record<string, string>;
  connectionState: ConnectionState;
  config: ClientConfig;
  serverVersion: string;
  info: ClusterInfo;
}

/** What is known of a cluster. */
export interface ClusterInfo {
  connectionState: ConnectionState;
  serverVersion: string;
  applicationsCount: number;
  apiVersions: string[];
  cacheInfo: CacheInfo;
}

/** Clusters. */
export interface ClusterList {
  metadata: NoMeta;
  items: ClusterAnswer[];
}

/** The lines around a place. */
export interface CodeFrame {
  place: string;
  line: number;
  lines: CodeLine[];
}

/** A line of a file. */
export interface CodeLine {
  line: number;
  text: string;
}

/** Who wrote a line, and what they said about it. */
export interface CommitNote {
  revision: string;
  author: string;
  date: string;
  message: string;
}

/** What a finding rests on, from surest to weakest. Time alone never makes a cause. */
export type Confidence = "declared" | "owned" | "text" | "time";

/** Whether something can be reached. */
export interface ConnectionState {
  status: string;
  message: string;
  attemptedAt: string;
}

/** A way to log in that Dex offers. */
export interface Connector {
  name: string;
  type: string;
}

/** The breaks of a demo, and whether the caller may use them. */
export interface Demo {
  breaks: Break[];
  may: boolean;
}

/** A project with what is its own. */
export interface DetailedProject {
  globalProjects: AppProject[];
  project: AppProject;
  repositories: RepositoryAnswer[];
  clusters: ClusterAnswer[];
}

/** The ways to log in that Dex offers. */
export interface DexSettings {
  connectors: Connector[];
}

/** The diagnosis of the Applications that may be seen. */
export interface Diagnosis {
  as_of: string;
  origin: string;
  total: number;
  good: number;
  counts?: Record<string, number>;
  causes?: Cause[];
  repairs?: Repair[];
  ruled_out?: RuledOut[];
  unexplained?: Finding[];
  untold?: string[];
  starting?: string[];
  ways?: Record<string, string>;
  unread?: string[];
  objects?: number;
  schema_version?: number;
  counted: string;
  states: Record<string, string>;
  schemaVersion: number;
}

/** There is a new diagnosis. */
export interface DiagnosisMade {
  type: "DIAGNOSIS";
  asOf: string;
}

/** How the diagnosis stands. */
export interface DiagnosisState {
  state: string;
  asOf: string;
  seconds: number;
  message: string;
  late: number;
}

/** One field that differs; an absent side is null. */
export interface Difference {
  path: string;
  desired: unknown;
  live: unknown;
  cause: string;
  manager: string;
  time: string;
  place: string;
  commit?: CommitNote | null;
}

/** A change of one line of a file: what stands there, and what should. */
export interface Edit {
  place: Place;
  before?: string;
  after?: string;
}

/** One consequence on the clusters. `short` is for a line of many, `text` a sentence of its own. */
export interface Effect {
  kind: EffectKind;
  short: string;
  text: string;
  apps?: string[];
  key?: ObjectRef;
  place?: Place;
  pods?: number;
}

/** What kind of consequence; the worst first. */
export type EffectKind = "danger" | "denied" | "endpoints" | "drift" | "restart" | "hooks" | "window" | "note";

/** Done; there is nothing to say. */
export type Empty = Record<string, never>;

/** Events. */
export interface EventList {
  metadata: ListMeta;
  items: KubeEvent[];
}

/** Who reported an Event. */
export interface EventSource {
  component?: string;
}

/** One thing that was seen: on an object, in a file, in a message. */
export interface Evidence {
  kind: EvidenceKind;
  text: string;
  subject?: ObjectRef;
  path?: string;
  place?: Place;
  time?: string;
}

/** Where a piece of evidence was seen. */
export type EvidenceKind =
  | "field"
  | "event"
  | "condition"
  | "file"
  | "message"
  | "manager"
  | "log"
  | "alert"
  | "metric"
  | "command";

/** Why an Application is as it is. */
export interface Explanation {
  app: string;
  sync: string;
  health: string;
  since: string;
  revision: string;
  findings: Finding[];
  unreadable: string[];
  not_rendered: string;
  schema_version: number;
  causes: CauseTitle[];
}

/** What made a field, and which. */
export interface FieldBlame {
  kind: string;
  place: string;
  text: string;
  commit: CommitNote | null;
  path: string;
}

/** One field with its two values and the line that changes it; an absent side is UNSET. */
export interface FieldEdit {
  path: string;
  before?: unknown;
  after?: unknown;
  place?: Place;
  noise?: string;
}

/** One thing that is wrong, made by its rule (`syncline rule CODE`). `code` is stable, `name` is its readable twin. */
export interface Finding {
  code: string;
  name: string;
  severity: Severity;
  subject: string;
  message: string;
  evidence?: Evidence[];
  confidence?: Confidence;
  fix?: Fix;
  options?: Fix[];
  since?: string;
  count?: number;
  effect_of?: string;
}

/** What to do about it: edits and a command where the right ones are known, else a sentence that names the decision. */
export interface Fix {
  text?: string;
  edits?: Edit[];
  command?: string;
}

/** Counts, causes and rows. `version` is how new it is; `told` differs when the diagnosis changes what rows say. */
export interface Fleet {
  schemaVersion: number;
  asOf: string;
  version: string;
  trouble: string;
  total: number;
  good: number;
  matching: number;
  counts: Record<string, Record<string, number>>;
  diagnosis: DiagnosisState;
  told: string;
  causes: FleetCause[];
  repairs: FleetRepair[];
  rows: Row[];
}

/** One cause in one row. */
export interface FleetCause {
  id: string;
  rank: number;
  code: string;
  name: string;
  title: string;
  severity: Severity;
  confidence: Confidence;
  thing: string;
  cluster: string;
  object: string;
  apps: number;
  since: string;
  fix: string;
  command: string;
  files: number;
  chain: string[];
  nextInLine: string[];
}

export type FleetEvent = RowChanged | RowGone | DiagnosisMade;

/** One step of the order of repair. */
export interface FleetRepair {
  cause: string;
  goodAfter: number;
}

/** What a folder is. */
export interface FolderDetails {
  type: string;
  helm?: Record<string, unknown>;
  kustomize?: Record<string, unknown>;
  directory?: Record<string, unknown>;
}

/** An object of an Application. */
export interface FoundObject {
  kind: string;
  namespace: string;
  name: string;
  group: string;
  status: string;
  health: string;
  app: AppName;
}

/** Objects that match, the best first. */
export interface FoundObjects {
  schemaVersion: number;
  total: number;
  items: FoundObject[];
}

/** The projects that a project inherits from. */
export interface GlobalProjects {
  items: AppProject[];
}

/** A kind that a project permits or denies. */
export interface GroupKindRule {
  group: string;
  kind: string;
}

/** Where people can ask. */
export interface Help {
  chatUrl: string;
  chatText: string;
}

/** One sync that was done. */
export interface HistoryEntry {
  id: number;
  revision?: string;
  revisions?: string[];
  deployedAt: string;
  deployStartedAt?: string;
  initiatedBy?: Initiator;
}

/** Fields whose difference does not count. */
export interface IgnoreDifference {
  kind: string;
  group?: string;
  name?: string;
  namespace?: string;
  jsonPointers?: string[];
  jqPathExpressions?: string[];
  managedFieldsManagers?: string[];
}

/** The smallest rule that silences the differences of an object, or why there is none. */
export interface IgnoreRule {
  entry: IgnoreDifference | null;
  reason: string;
}

/** Who started an operation. */
export interface Initiator {
  username?: string;
  automated?: boolean;
}

/** What an Event is about. */
export interface InvolvedObject {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** A name. */
export interface ItemName {
  name: string;
}

/** Names of services, triggers or templates of notifications. */
export interface ItemNames {
  items?: ItemName[];
}

/** An Event. */
export interface KubeEvent {
  metadata: ObjectMeta;
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  involvedObject?: InvolvedObject;
  source?: EventSource;
  reportingComponent?: string;
}

/** How Kustomize is run. */
export interface KustomizeOptions {
  BuildOptions: string;
  BinaryPath: string;
  Versions: null;
}

/** One step down from a cause: how many things of one kind are bad because of the step above, and how they show. */
export interface Link {
  count: number;
  kind: string;
  state: string;
  examples?: Thing[];
}

/** Metadata of a list. */
export interface ListMeta {
  resourceVersion?: string;
  remainingItemCount?: number;
}

/** One app of the change beside what is live. */
export interface LiveApp {
  name: string;
  drift?: LiveChange[];
  net?: LiveChange[];
  unread?: string[];
  unknown?: string;
}

/** One object that is live otherwise than Git says, and what a sync would do with it. */
export interface LiveChange {
  key: ObjectRef;
  action: ObjectAction;
  fields?: LiveField[];
  note?: LiveNote;
}

/** One field that is live otherwise than Git says: both values, who wrote it last and when. */
export interface LiveField {
  path: string;
  git?: unknown;
  live?: unknown;
  manager?: string;
  time?: string;
  note?: LiveNote;
}

/** What a field that is not on the cluster as Git has it means for the pull request. */
export type LiveNote =
  | "reverted by the next sync"
  | "this change writes down what is live"
  | "this change overwrites what is live"
  | "of this change";

/** The apps of the change beside what is live, and where that was read. */
export interface LiveView {
  origin: string;
  as_of: string;
  apps: LiveApp[];
}

/** One line that a container printed; the last one is empty. */
export interface LogLine {
  content: string;
  timeStamp: string | null;
  timeStampStr: string;
  podName: string;
  last: boolean;
}

/** All that a look at an Application saw, for `syncline` itself: its form may change with any release. */
export interface Look {
  snapshot: Record<string, unknown>;
  orphans?: ObjectRef[];
}

/** One object as JSON text. */
export interface Manifest {
  manifest: string;
}

/** What the sources of an Application make, each object as JSON text. */
export interface Manifests {
  manifests: string[];
  namespace: string;
  server: string;
  revision: string;
  sourceType: string;
}

/** A link to a page elsewhere. */
export interface NamedLink {
  title: string;
  url: string;
}

/** Links to pages elsewhere. */
export interface NamedLinks {
  items: NamedLink[];
}

/** Metadata of an object that has a namespace. */
export interface NamespacedMeta {
  name: string;
  namespace: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string | null;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

/** A token that was made, shown this once. */
export interface NewlyMade {
  token: string;
}

/** Metadata of a list that has none. */
export type NoMeta = Record<string, never>;

/** The health of an object. */
export interface NodeHealth {
  status: string;
  message?: string;
}

/** A fact about an object. */
export interface NodeInfo {
  name: string;
  value: string;
}

/** An object in a tree. */
export interface NodeRef {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  version?: string;
  uid?: string;
}

/** Something that could not be looked at, what would help, and how many Applications it concerns. */
export interface NotLooked {
  what: string;
  remedy: string;
  count: number;
}

/** What becomes of an object. */
export type ObjectAction = "create" | "change" | "delete" | "rename" | "transfer";

/** Every field of an object, as far as texts tell who wrote it. */
export interface ObjectBlame {
  schemaVersion: number;
  object: string;
  tool: string;
  fields: FieldBlame[];
}

/** One object that an app delivers otherwise than before. */
export interface ObjectChange {
  key: ObjectRef;
  action: ObjectAction;
  fields?: FieldEdit[];
  place?: Place;
  was?: ObjectRef;
  other?: string;
  phase?: string;
  wave?: number;
}

/** One object that differs. */
export interface ObjectDiff {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  key: string;
  verdict: string;
  missing: boolean;
  extra: boolean;
  reasons: string[];
  message: string;
  place: string;
  wave: number;
  differences: Difference[];
  accepted: AcceptedDifference[];
  ignoreRule?: IgnoreRule | null;
  commit?: CommitNote | null;
}

/** Metadata of an object. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string | null;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

/** An object by its name. */
export interface ObjectRef {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** An action that an object offers. */
export interface OfferedAction {
  name: string;
  disabled: boolean;
  displayName?: string;
  iconClass?: string;
  params?: ActionParameterName[];
}

/** The actions that an object offers. */
export interface OfferedActions {
  actions: OfferedAction[];
}

/** The provider of logins; nothing of it is secret. */
export interface OidcSettings {
  name: string;
  issuer: string;
  clientID: string;
  cliClientID: string;
  scopes: string[];
  idTokenClaims: Record<string, unknown> | null;
  enablePKCEAuthentication: boolean;
}

/** Who made an object. */
export interface OwnerReference {
  kind: string;
  name: string;
}

/** Where in a file: line and column count from 1; 0 means unknown. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

/** What a sync would do, in order. */
export interface Plan {
  schemaVersion: number;
  app: string;
  asOf: string;
  revision: string;
  revisions: string[];
  digest: string;
  prune: boolean;
  partial: boolean;
  counts: Record<string, number>;
  tasks: PlanTask[];
  problems: string[];
  adoption: Adoption;
  notes: string[];
  decision: PlanDecision;
}

/** What the controller would do now. */
export interface PlanDecision {
  kind: string;
  reason: string;
  message: string;
}

/** What a sync does with one object. */
export interface PlanTask {
  key: string;
  object: ObjectRef;
  phase: string;
  wave: number;
  action: "apply" | "hook" | "keep" | "prune";
  method: string;
  reason: string;
  detail: string;
  refusal: string;
  hookDeletePolicy: string;
  changed: boolean;
  place: string;
}

/** Plugins of settings: none. */
export interface Plugins {
  plugins: string[];
}

/** All that a branch does; `frames` are the lines that each new finding points at, in their order. */
export interface Preview {
  base: string;
  head: string;
  total: number;
  equal: number;
  unknown: string[];
  objects: number;
  apps: AppChange[];
  effects: Effect[];
  timelines: Timeline[];
  new: Finding[];
  fixed: Finding[];
  kept: Finding[];
  not_looked: NotLooked[];
  notes: string[];
  live: LiveView | null;
  frames: (CodeFrame | null)[];
}

/** Where a project may deliver. */
export interface ProjectDestination {
  server?: string;
  name?: string;
  namespace?: string;
}

/** A role of a project. */
export interface ProjectRole {
  name: string;
}

/** What a project permits. */
export interface ProjectSpec {
  description?: string;
  sourceRepos?: string[];
  destinations?: ProjectDestination[];
  clusterResourceWhitelist?: GroupKindRule[];
  syncWindows?: ProjectWindow[];
  roles?: ProjectRole[];
}

/** A sync window of a project. */
export interface ProjectWindow {
  kind?: string;
  schedule?: string;
  duration?: string;
  applications?: string[];
  namespaces?: string[];
  clusters?: string[];
  manualSync?: boolean;
  timeZone?: string;
}

/** Branches and tags. */
export interface Refs {
  branches: string[];
  tags: string[];
}

/** One step of the order of repair: the cause, and how many symptoms are good afterwards, at most. */
export interface Repair {
  cause: string;
  good_after: number;
  gone_after?: number;
}

/** A repository. */
export interface RepositoryAnswer {
  repo: string;
  type?: string;
  name?: string;
  project?: string;
  username?: string;
  insecure?: boolean;
  insecureIgnoreHostKey?: boolean;
  enableLfs?: boolean;
  enableOCI?: boolean;
  inheritedCreds?: boolean;
  connectionState: ConnectionState;
}

/** Repositories. */
export interface RepositoryList {
  metadata: NoMeta;
  items: RepositoryAnswer[];
}

/** Both sides of an object, each as JSON text. */
export interface ResourceDiff {
  group: string;
  kind: string;
  namespace: string;
  name: string;
  targetState: string;
  liveState: string;
  normalizedLiveState: string;
  predictedLiveState: string;
  resourceVersion: string;
  modified: boolean;
  hook: boolean;
}

/** Both sides of each object. */
export interface ResourceDiffs {
  items: ResourceDiff[];
}

/** Who committed a revision. */
export interface RevisionMetadata {
  author: string;
  date: string;
  message: string;
  tags: string[];
}

/** One Application in one row. */
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

/** A row as it is now. */
export interface RowChanged {
  type: "ROW";
  row: Row;
}

/** A row that is not there any more. */
export interface RowGone {
  type: "GONE";
  row: AppName;
}

/** Something that looks bad and is no cause: what it is, and why not. */
export interface RuledOut {
  text: string;
  because: string;
  count?: number;
}

/** What was done, in words. */
export interface Said {
  said: string;
}

/** What a login page needs, and to those who are signed in a little more. */
export interface ServerSettings {
  url: string;
  statusBadgeEnabled: boolean;
  userLoginsDisabled: boolean;
  help: Help;
  googleAnalytics: Analytics;
  plugins: string[];
  ssoProblem?: string;
  dexConfig?: DexSettings;
  oidcConfig?: OidcSettings;
  kustomizeOptions?: KustomizeOptions;
  controllerNamespace?: string;
  appLabelKey?: string;
  trackingMethod?: string;
  passwordPattern?: string;
  execEnabled?: boolean;
  appsInAnyNamespaceEnabled?: boolean;
  impersonationEnabled?: boolean;
  resourceOverrides?: Record<string, unknown>;
}

/** Both sides of each object, and whether any differs. */
export interface ServerSideDiffs {
  items: ResourceDiff[];
  modified: boolean;
}

/** Something to know about a set. */
export interface SetCondition {
  type: string;
  status: string;
  message?: string;
  reason?: string;
}

/** What a set makes. */
export interface SetSpec {
  generators?: Record<string, unknown>[];
  goTemplate?: boolean;
  strategy?: SetStrategy;
}

/** How a set is. */
export interface SetStatus {
  conditions?: SetCondition[];
}

/** In which order a set changes its Applications. */
export interface SetStrategy {
  type?: string;
}

/** The Applications of a set. */
export interface SetTree {
  nodes: TreeNode[];
}

/** What is wrong with a setting. */
export interface SettingProblem {
  home: string;
  key: string;
  kind: string;
  severity: string;
  message: string;
  fix: string;
}

/** One setting, and where it comes from. */
export interface SettingRow {
  key: string;
  home: string;
  value: string;
  origin: string;
}

/** The settings of the installation. */
export interface SettingsWithOrigin {
  schemaVersion: number;
  settings: SettingRow[];
  problems: SettingProblem[];
}

/** How bad. */
export type Severity = "error" | "warning" | "info";

/** A key that commits may be signed with. */
export interface SigningKey {
  keyID: string;
}

/** Keys that commits may be signed with. */
export interface SigningKeyList {
  metadata: NoMeta;
  items: SigningKey[];
}

/** Whether syncs are allowed; if not, a sentence for each window that forbids them, and the windows in short. */
export interface Standing {
  allowed: boolean;
  forbidding?: string[];
  changes_after?: number;
  windows?: string[];
}

/** A time in which syncs are allowed or denied. */
export interface SyncWindow {
  kind?: string;
  schedule?: string;
  duration?: string;
  applications?: string[];
  namespaces?: string[];
  clusters?: string[];
  manualSync?: boolean;
  timeZone?: string;
  andOperator?: boolean;
  description?: string;
  syncOverrun?: boolean;
}

/** Whether automatic syncs and syncs by hand may start, when they may again, and the windows of the Application. */
export interface SyncWindows {
  project: string;
  automatic: Standing;
  manual: Standing;
  opens: string;
  opens_by_hand: string;
  assigned: SyncWindow[];
  states: WindowState[];
}

/** A credential template. */
export interface TemplateAnswer {
  url: string;
  type?: string;
  username?: string;
}

/** Credential templates. */
export interface TemplateList {
  metadata: NoMeta;
  items: TemplateAnswer[];
}

/** A node of the graph: an object (also an absent one) on a cluster, or something outside with a name of its own. */
export interface Thing {
  cluster?: string;
  key?: ObjectRef;
  outside?: string;
  name?: string;
  absent?: boolean;
}

/** The order in which a sync of one app makes its changes, where there is more than one step. */
export interface Timeline {
  app: string;
  steps: WaveStep[];
}

/** One thing that happened. */
export interface TimelineEntry {
  time: string;
  lane: "event" | "git" | "health" | "live" | "sync";
  kind: string;
  title: string;
  text: string;
  object: ObjectRef | null;
  by: string;
  revision: string;
  severity: Severity;
}

/** A token, without its secret. */
export interface TokenAnswer {
  id: string;
  issuedAt: string;
  expiresAt?: string;
}

/** The objects of an Application. */
export interface Tree {
  nodes: TreeNode[];
  orphanedNodes: TreeNode[];
  hosts: Record<string, unknown>[];
  shardsCount: number;
}

/** An object of an Application, and what it belongs to. */
export interface TreeNode {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  version?: string;
  uid?: string;
  resourceVersion?: string;
  createdAt?: string | null;
  parentRefs?: NodeRef[];
  health?: NodeHealth;
  images?: string[];
  info?: NodeInfo[];
  networkingInfo?: Record<string, unknown>;
}

/** Who asks; nothing where nobody is signed in. */
export interface UserInfo {
  loggedIn?: boolean;
  username?: string;
  iss?: string;
  groups?: string[];
}

/** The version; to nobody no more than that. */
export interface Version {
  Version: string;
  Syncline?: string;
  Platform?: string;
  KustomizeVersion?: string;
  HelmVersion?: string;
}

/** An object that is waited for. */
export interface Waiting {
  key: string;
  text: string;
  since: string;
  stuck: boolean;
}

/** What a sync does at one time. */
export interface Wave {
  phase: string;
  wave: number;
  state: WaveState;
  done: number;
  total: number;
  tasks: WaveTask[];
}

/** The operation that runs, or ended last. */
export interface WaveOperation {
  phase: string;
  message: string;
  startedAt: string;
  finishedAt: string;
  revision: string;
  by: string;
  retryCount: number;
}

/** How far a wave or an object of it is. */
export type WaveState = "done" | "running" | "waiting" | "failed";

/** What a sync of one app does at one time: phase, wave and the objects that change then. */
export interface WaveStep {
  phase: string;
  wave: number;
  objects: string[];
}

/** One object of a wave. */
export interface WaveTask {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
  key: string;
  action: string;
  state: WaveState;
  status: string;
  message: string;
  hookPhase: string;
}

/** The waves of an operation, or those that a sync would have. */
export interface Waves {
  schemaVersion: number;
  operation: WaveOperation | null;
  planned: boolean;
  current: number | null;
  waves: Wave[];
  waiting: Waiting[];
}

/** How many were refreshed. */
export interface WebhookTaken {
  applications: number;
  applicationsets: number;
}

/** A window at one time: open or not, the seconds until it begins or ends, and when that is. */
export interface WindowState {
  rule: SyncWindow;
  open: boolean;
  left: number;
  turns: string;
}
