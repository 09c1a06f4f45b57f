import { describe, expect, it } from "vitest";
import { kinds, lasting, refKey, shortRevision, since, value } from "../../src/lib/words";
import { asYaml } from "../../src/lib/yaml";
import { yamlLines } from "../../src/lib/yamllines";
import { ruleLines } from "../../src/pages/app/ignore";

describe("words", () => {
  it("tells time in at most two units", () => {
    expect([0, 59, 60, 3599, 3600, 4 * 3600 + 120, 26 * 3600, 52 * 3600, 8 * 86_400 + 3600].map(lasting)).toEqual([
      "0 s",
      "59 s",
      "1 min",
      "59 min",
      "1h",
      "4h 2m",
      "1d 2h",
      "2d 4h",
      "8d",
    ]);
    expect(since("", 0)).toBe("");
    expect(since("not a time", 0)).toBe("");
  });
  it("counts kinds as people do", () => {
    expect([kinds(1, "Pod"), kinds(2, "Ingress"), kinds(3, "NetworkPolicy"), kinds(1234, "Gateway")]).toEqual([
      "1 Pod",
      "2 Ingresses",
      "3 NetworkPolicies",
      "1,234 Gateways",
    ]);
  });
  it("shortens commits and nothing else", () => {
    expect(shortRevision("0123456789abcdef0123456789abcdef01234567")).toBe("0123456");
    expect(shortRevision("1.2.3")).toBe("1.2.3");
  });
  it("writes keys as the server does", () => {
    expect(refKey({ group: "apps", kind: "Deployment", namespace: "shop", name: "web" })).toBe(
      "apps/Deployment:shop/web",
    );
    expect(refKey({ kind: "Namespace", name: "shop" })).toBe("Namespace:/shop");
  });
  it("tells an absent value from an empty one", () => {
    expect([value(null), value(""), value(0), value([])]).toEqual(["not set", '""', "0", "[]"]);
  });
});

describe("YAML for reading", () => {
  it("quotes what would be read as something else", () => {
    expect(asYaml({ a: "yes", b: "1.0", c: "x: y", d: "plain", e: true })).toBe(
      'a: "yes"\nb: "1.0"\nc: "x: y"\nd: plain\ne: true',
    );
  });
  it("nests lists, maps and texts of many lines", () => {
    expect(asYaml({ list: [{ name: "a", args: [] }, "b"], text: "one\ntwo\n" })).toBe(
      "list:\n- name: a\n  args: []\n- b\ntext: |\n  one\n  two",
    );
  });
  it("gives each line the path that blame takes", () => {
    const lines = yamlLines({ spec: { containers: [{ name: "web", image: "x:1" }], "a.b/c": 1 } });
    expect(lines.find((line) => line.text.includes("image"))).toEqual({
      text: "    image: x:1",
      path: "spec.containers[name=web].image",
    });
    expect(lines.find((line) => line.text.includes("a.b/c"))?.path).toBe('spec["a.b/c"]');
    expect(lines.map((line) => line.text).join("\n")).toBe(
      asYaml({ spec: { containers: [{ name: "web", image: "x:1" }], "a.b/c": 1 } }),
    );
  });
});

describe("an ignore rule", () => {
  it("is an entry that can be pasted", () => {
    expect(ruleLines({ group: "apps", kind: "Deployment", jsonPointers: ["/spec/replicas"] })).toEqual([
      "  ignoreDifferences:",
      "    - group: apps",
      "      kind: Deployment",
      "      jsonPointers:",
      "        - /spec/replicas",
    ]);
  });
});
