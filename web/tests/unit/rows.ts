import type { FleetCause, Row } from "../../src/lib/types";

export function row(name: string, changes: Partial<Row> = {}): Row {
  return {
    name,
    namespace: "argocd",
    project: "default",
    sync: "Synced",
    health: "Healthy",
    operation: "Succeeded",
    sentence: "",
    since: "2030-01-01T00:00:00Z",
    causes: [],
    cluster: "in-cluster",
    destinationNamespace: "apps",
    revision: "",
    auto: true,
    set: "",
    version: "1",
    ...changes,
  };
}

export function cause(rank: number, changes: Partial<FleetCause> = {}): FleetCause {
  return {
    id: `c${rank}`,
    rank,
    code: "SEC-003",
    name: "store-not-ready",
    title: "a store",
    severity: "error",
    confidence: "declared",
    thing: "ClusterSecretStore/vault",
    cluster: "",
    object: "",
    apps: 2,
    since: "",
    fix: "",
    command: "",
    files: 0,
    chain: [],
    nextInLine: [],
    ...changes,
  };
}
