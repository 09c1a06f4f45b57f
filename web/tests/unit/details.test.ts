import { describe, expect, it } from "vitest";
import { Failure } from "../../src/lib/api";
import { findingLook } from "../../src/lib/look";
import type { AppDiff, Application, Difference, TreeNode, WaveTask } from "../../src/lib/types";
import { saysTheSame } from "../../src/pages/app/diff";
import { fieldsOf } from "../../src/pages/app/fields";
import { podOf } from "../../src/pages/app/hooklog";
import { editsLost } from "../../src/pages/app/sync";
import { ticksOf } from "../../src/pages/app/timeline";
import { grown } from "../../src/pages/app/tree";
import { spread } from "../../src/pages/fleet/causes";
import { noWindows } from "../../src/pages/fleet/quiet";
import { plainly } from "../../src/pages/fleet/row";
import { problemWith } from "../../src/pages/more/settings";
import { cause } from "./rows";

describe("a row before the causes are known", () => {
  it("leaves out what people skip", () => {
    expect(plainly("Caused by apps/Deployment:dev/minio, external-secrets.io/ExternalSecret:dev/root")).toBe(
      "not well: Deployment/minio, ExternalSecret/root",
    );
    expect(
      plainly(
        "Failed last sync attempt to [1f0c2ab]: one or more synchronization tasks completed unsuccessfully, reason: no such kind",
      ),
    ).toBe("last sync failed: no such kind");
    expect(plainly("Waiting for a manual sync")).toBe("Waiting for a manual sync");
  });
});

describe("how a cause spreads", () => {
  it("counts what its sentence names, and pods without their owners", () => {
    const chain = [
      "63 ExternalSecret SecretSyncedError",
      "45 Pod Error",
      "33 Deployment Stuck",
      "70 Application Degraded",
    ];
    expect(spread(cause(1, { title: "ClusterSecretStore/vault is not ready", apps: 70, chain }))).toBe(
      "1 ClusterSecretStore → 63 ExternalSecrets → 45 Pods → 70 apps",
    );
    expect(spread(cause(1, { thing: "image x:1", title: "an image", apps: 1, chain: ["1 Deployment Stuck"] }))).toBe(
      "image x:1 → 1 Deployment → 1 app",
    );
  });
});

describe("the plan of a sync", () => {
  const field = (path: string, why: string, manager = ""): Difference => ({
    path,
    desired: 1,
    live: 2,
    cause: why,
    manager,
    time: "",
    place: "",
  });
  const object = (differences: Difference[]) => ({
    kind: "Deployment",
    name: "web",
    key: "k",
    verdict: "",
    missing: false,
    extra: false,
    reasons: [],
    message: "",
    place: "",
    wave: 0,
    differences,
    accepted: [],
  });
  it("has no field of an object that only one side has", () => {
    expect(fieldsOf(object([field("", "missing live")]))).toEqual([]);
  });
  it("counts the edits that it undoes, with their writers", () => {
    const diff = { objects: [object([field("a", "changed live", "kubectl"), field("b", "changed in Git")])] };
    expect(editsLost(diff)).toEqual({ n: 1, by: ["kubectl"] });
  });
});

describe("the log of a hook", () => {
  const hook = { kind: "Job", namespace: "dev", name: "wait" } as WaveTask;
  const pod = (name: string, createdAt: string, owner = "wait"): TreeNode => ({
    kind: "Pod",
    namespace: "dev",
    name,
    createdAt,
    parentRefs: [{ kind: "Job", name: owner }],
  });
  it("is that of its newest pod", () => {
    const nodes = [pod("new", "2030-01-02"), pod("old", "2030-01-01"), pod("other", "2030-01-03", "else")];
    expect(podOf(hook, { nodes })?.name).toBe("new");
    expect(podOf(hook, { nodes: [] })).toBeUndefined();
  });
});

describe("the axis of the timeline", () => {
  it("has at most six round times", () => {
    const from = Date.parse("2030-01-01T10:03:20Z");
    const { every, at } = ticksOf(from, from + 20 * 60_000);
    expect(every).toBe(300);
    expect(at.map((tick) => new Date(tick).toISOString().slice(14, 19))).toEqual(["05:00", "10:00", "15:00", "20:00"]);
  });
});

describe("what nobody looked at", () => {
  it("has no tick: neither a finding that says so, nor an app that could not be compared", () => {
    expect(findingLook("info")).toBe("unk");
    const app: Application = {
      metadata: { name: "web", namespace: "argocd" },
      spec: {},
      status: { sync: { status: "Unknown" }, health: { status: "Healthy" } },
    };
    expect(grown(app, { nodes: [] })).toMatchObject({ look: "unk", state: "Healthy, not compared" });
  });
});

describe("a difference", () => {
  const diff = (live: unknown, more = {}) =>
    ({ revisions: ["a"], objects: [{ key: "x", differences: [{ path: "a", desired: 1, live, ...more }] }] }) as AppDiff;

  it("is shown with its history only where that is of the same difference", () => {
    expect(saysTheSame(diff(2, { commit: { revision: "a" } }), diff(2))).toBe(true);
    expect(saysTheSame(diff(2, { commit: { revision: "a" } }), diff(3))).toBe(false);
  });
});

describe("sync windows", () => {
  it("are called none only by those who see the projects", () => {
    const failure = new Failure(503, "the cluster does not answer");
    expect(noWindows({ data: undefined, failure: undefined })).toBe("reading");
    expect(noWindows({ data: undefined, failure })).toBe("not known: “the cluster does not answer”");
    expect(noWindows({ data: { items: [] }, failure: undefined })).toBe("of no project that you may see");
    expect(noWindows({ data: { items: [{ metadata: { name: "default" } }] }, failure: undefined })).toBe(
      "none: every app may sync at any time",
    );
  });
});

describe("the settings page", () => {
  const setting = (key: string) => ({ key, home: "argocd-cm", value: "1", origin: "ConfigMap argocd/argocd-cm" });
  const problem = {
    home: "argocd-cm",
    key: "typo",
    kind: "unknown",
    severity: "warning",
    message: "not known",
    fix: "",
  };
  it("calls a setting understood unless the server names a problem of it", () => {
    expect(problemWith(setting("timeout.reconciliation"), [problem])).toBeUndefined();
    expect(problemWith(setting("typo"), [problem])).toBe(problem);
    expect(problemWith({ ...setting("typo"), home: "argocd-rbac-cm" }, [problem])).toBeUndefined();
  });
});
