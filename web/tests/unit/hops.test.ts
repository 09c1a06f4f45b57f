import { describe, expect, it } from "vitest";
import type { Application, Cause, Explanation } from "../../src/lib/types";
import { hopsOf, sureness } from "../../src/pages/app/hops";
import type { Nodes } from "../../src/pages/app/tree";
import { pullRequest } from "../../src/pages/cause/request";
import { fixText } from "../../src/ui/fix";

const store = { group: "external-secrets.io", kind: "ClusterSecretStore", name: "ameide-vault" };
const cause: Cause = {
  id: "7d93b0ce",
  rank: 1,
  code: "SEC-003",
  name: "store-not-ready",
  cluster: "",
  object: "",
  outside: "",
  thing: { key: store },
  finding: {
    code: "SEC-003",
    name: "store-not-ready",
    severity: "error",
    subject: "ClusterSecretStore/ameide-vault",
    message: 'ClusterSecretStore/ameide-vault: namespace "vault" of its provider does not exist',
    evidence: [
      { kind: "condition", text: "Ready=False InvalidProviderConfig", subject: store, path: "status.conditions" },
      { kind: "field", text: "http://vault.svc:8200", subject: store, path: "spec.provider.vault.server" },
      {
        kind: "file",
        text: "server: http://vault.svc:8200",
        subject: store,
        place: { file: "stores.yaml", line: 12, column: 0 },
      },
    ],
  },
  affected: ["argocd/grafana", "argocd/minio"],
  chain: [
    {
      count: 63,
      kind: "ExternalSecret",
      state: "SecretSyncedError",
      examples: [{ key: { kind: "ExternalSecret", namespace: "dev", name: "minio-root" } }],
    },
    {
      count: 39,
      kind: "Secret",
      state: "absent",
      examples: [
        { key: { kind: "Secret", namespace: "dev", name: "minio-root" }, absent: true },
        { key: { kind: "Secret", namespace: "dev", name: "grafana-admin" }, absent: true },
      ],
    },
    { count: 2, kind: "Application", state: "Degraded" },
  ],
};
const app: Application = {
  metadata: { name: "grafana", namespace: "argocd" },
  spec: { destination: { namespace: "dev" } },
  status: { health: { status: "Degraded" } },
};
const why: Explanation = {
  app: "grafana",
  sync: "Synced",
  health: "Degraded",
  since: "",
  revision: "",
  findings: [cause.finding],
  unreadable: [],
  not_rendered: "",
  schema_version: 1,
  causes: [],
};
const tree: Nodes = {
  nodes: [
    {
      kind: "ExternalSecret",
      group: "external-secrets.io",
      namespace: "dev",
      name: "grafana-admin",
      health: { status: "Degraded", message: "could not get secret data" },
    },
  ],
};

describe("the chain of evidence", () => {
  const hops = hopsOf(why, cause, tree, app);

  it("leads from the first bad thing to the app, once each", () => {
    expect(hops.map((hop) => hop.name)).toEqual([
      "ClusterSecretStore/ameide-vault",
      "ExternalSecret/dev/grafana-admin",
      "Secret/dev/grafana-admin",
      "Application/grafana",
    ]);
    expect(hops.map((hop) => hop.first)).toEqual([true, false, false, false]);
  });

  it("names no object of another app", () => {
    expect(JSON.stringify(hops)).not.toContain("minio");
  });

  it("quotes messages, tells fields, and shows lines of files", () => {
    expect(hops[0]?.quotes).toEqual([{ text: "Ready=False InvalidProviderConfig", from: "status.conditions" }]);
    expect(hops[0]?.facts).toEqual(["spec.provider.vault.server: http://vault.svc:8200"]);
    expect(hops[0]?.code).toEqual([{ place: "stores.yaml:12", line: 12, text: "server: http://vault.svc:8200" }]);
    expect(hops[0]?.state).toBe('namespace "vault" of its provider does not exist');
  });

  it("says how sure it is", () => {
    expect(sureness(cause.finding)).toMatch(/^certain/);
    expect(sureness({ ...cause.finding, confidence: "time" })).toMatch(/^maybe/);
  });

  it("has only the app where nothing is wrong", () => {
    expect(hopsOf({ ...why, findings: [] }, undefined, { nodes: [] }, app)).toHaveLength(1);
  });
});

describe("what is copied", () => {
  it("is a patch before edits before a command before words", () => {
    const fix = {
      text: "words",
      command: "kubectl x",
      edits: [{ place: { file: "a.yaml", line: 3, column: 0 }, before: "a: 1", after: "a: 2" }],
    };
    expect(fixText(fix, "diff --git")).toBe("diff --git");
    expect(fixText(fix)).toBe("a.yaml:3\n- a: 1\n+ a: 2\n");
    expect(fixText({ text: "words", command: "kubectl x" })).toBe("kubectl x");
    expect(fixText({ text: "words" })).toBe("words");
    expect(fixText(undefined)).toBe("");
  });
  it("is a text for a pull request that counts", () => {
    expect(pullRequest(cause)).toContain("63 ExternalSecret SecretSyncedError → 39 Secret absent → 2 apps (SEC-003).");
  });
});
