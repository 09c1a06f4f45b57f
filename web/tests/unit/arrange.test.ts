import { describe, expect, it } from "vitest";
import {
  type Asked,
  arranged,
  environmentOf,
  matches,
  pending,
  ranksOf,
  usualGroup,
} from "../../src/pages/fleet/arrange";
import { cause, row } from "./rows";

const ALL: Asked = {
  status: "all",
  cause: "",
  environment: "",
  project: "",
  cluster: "",
  set: "",
  search: "",
  group: "none",
};
const NO_RANKS = new Map<string, number>();

describe("environments", () => {
  it("are read from whole words of names only", () => {
    expect(environmentOf(row("web", { destinationNamespace: "ameide-dev" }))).toBe("dev");
    expect(environmentOf(row("staging-web"))).toBe("staging");
    expect(environmentOf(row("web", { destinationNamespace: "ameide-prod" }))).toBe("production");
    // "device" and "latest" have the letters, not the word
    expect(environmentOf(row("device-registry", { destinationNamespace: "latest" }))).toBe("no environment");
  });
});

describe("what is shown", () => {
  const broken = row("a", { health: "Degraded" });
  const working = row("b", { health: "Progressing" });
  const stuck = row("c", { health: "Progressing", causes: ["c1"] });
  const drifted = row("d", { sync: "OutOfSync" });
  const good = row("e");

  it("need you: what is broken, stuck or to decide, and not what works or is OK", () => {
    const asked = { ...ALL, status: "need-you" };
    expect([broken, working, stuck, drifted, good].filter((one) => matches(one, asked)).map((one) => one.name)).toEqual(
      ["a", "c", "d"],
    );
  });

  it("sorts the broken first, then by the rank of the cause, then by name", () => {
    const ranks = ranksOf([cause(1), cause(2)]);
    const rows = [
      row("z", { health: "Degraded", causes: ["c1"] }),
      row("y", { health: "Degraded", causes: ["c2"] }),
      row("x", { health: "Degraded", causes: ["c2"] }),
      drifted,
    ];
    expect(arranged(rows, ALL, ranks)).toEqual([{ name: "", keys: ["argocd/z", "argocd/x", "argocd/y", "argocd/d"] }]);
  });

  it("puts dev before staging before production, and what has no environment last", () => {
    const rows = [row("prod-web"), row("web"), row("staging-web"), row("dev-web")];
    expect(arranged(rows, { ...ALL, group: "environment" }, NO_RANKS).map((group) => group.name)).toEqual([
      "dev",
      "staging",
      "production",
      "no environment",
    ]);
  });

  it("finds words in names and sentences in any case", () => {
    expect(matches(row("Grafana"), { ...ALL, search: "graf" })).toBe(true);
    expect(matches(row("x", { sentence: "waits for Secret graf" }), { ...ALL, search: "GRAF" })).toBe(true);
    expect(matches(row("x"), { ...ALL, search: "graf" })).toBe(false);
  });
});

describe("changes while somebody reads", () => {
  it("counts what came, went and moved", () => {
    const shown = [{ name: "dev", keys: ["a", "b", "c"] }];
    const now = [
      { name: "dev", keys: ["a", "d"] },
      { name: "prod", keys: ["b"] },
    ];
    expect(pending(shown, now)).toEqual({ added: 1, gone: 1, moved: 1 });
  });

  it("is quiet when only the order changed", () => {
    expect(pending([{ name: "", keys: ["a", "b"] }], [{ name: "", keys: ["b", "a"] }])).toEqual({
      added: 0,
      gone: 0,
      moved: 0,
    });
  });
});

describe("groups when nobody chose", () => {
  it("does not divide a handful", () => {
    expect(usualGroup([row("dev-a"), row("prod-a")])).toBe("none");
  });
  it("divides by environment where there are several, else by project", () => {
    const many = Array.from({ length: 12 }, (_, i) => row(`${i % 2 ? "dev" : "prod"}-${i}`));
    expect(usualGroup(many)).toBe("environment");
    expect(usualGroup(many.map((one, i) => ({ ...one, name: `x${i}`, project: i % 2 ? "a" : "b" })))).toBe("project");
  });
});
