import { describe, expect, it } from "vitest";
import { Rows } from "../../src/lib/rows";
import { row } from "./rows";

const names = (rows: Rows) => [...rows.all.values()].map((one) => `${one.name} ${one.health} ${one.version}`);

describe("rows of lists and of the stream", () => {
  it("keeps what the stream said when an older list comes after it", () => {
    const rows = new Rows();
    rows.take(row("shop", { version: "12", health: "Healthy" }));
    rows.takeAll([row("shop", { version: "9", health: "Progressing" })], "11");
    expect(names(rows)).toEqual(["shop Healthy 12"]);
  });

  it("takes a list of the same version: the causes of a row change without it", () => {
    const rows = new Rows();
    rows.take(row("shop", { version: "9" }));
    rows.take(row("shop", { version: "9", causes: ["c1"] }));
    expect(rows.all.get("argocd/shop")?.causes).toEqual(["c1"]);
  });

  it("compares versions as numbers", () => {
    const rows = new Rows();
    rows.take(row("shop", { version: "100" }));
    rows.take(row("shop", { version: "99", health: "Degraded" }));
    expect(names(rows)).toEqual(["shop Healthy 100"]);
  });

  it("drops what a list of all no longer has, but not what came since", () => {
    const rows = new Rows();
    rows.take(row("old", { version: "3" }));
    rows.take(row("new", { version: "20" }));
    rows.takeAll([row("shop", { version: "9" })], "11");
    expect(names(rows).sort()).toEqual(["new Healthy 20", "shop Healthy 9"]);
  });
});
