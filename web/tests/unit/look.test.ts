import { describe, expect, it } from "vitest";
import { healthLook, lookOf, needsYou, stateOf } from "../../src/lib/look";
import { row } from "./rows";

describe("how an app looks", () => {
  it("is never OK when nobody looked", () => {
    expect(lookOf(row("x", { sync: "", health: "" }))).toBe("unk");
    expect(stateOf(row("x", { sync: "", health: "", operation: "" }))).toBe("not checked yet");
    expect(lookOf(row("x", { sync: "Unknown" }))).toBe("unk");
    expect(healthLook("Unknown")).toBe("unk");
  });

  it("is stuck only with a cause", () => {
    const working = row("x", { health: "Progressing" });
    expect([lookOf(working), stateOf(working), needsYou(working)]).toEqual(["work", "Progressing", false]);
    const stuck = row("x", { health: "Progressing", causes: ["1"] });
    expect([lookOf(stuck), stateOf(stuck), needsYou(stuck)]).toEqual(["bad", "Progressing, stuck", true]);
    const syncing = row("x", { sync: "OutOfSync", operation: "Running" });
    expect([lookOf(syncing), stateOf(syncing), needsYou(syncing)]).toEqual(["work", "Syncing", false]);
    const waiting = row("x", { sync: "OutOfSync", operation: "Running", causes: ["1"] });
    expect([lookOf(waiting), stateOf(waiting), needsYou(waiting)]).toEqual(["bad", "Sync stuck", true]);
  });

  it("says what a sync left behind", () => {
    expect(stateOf(row("x", { operation: "Failed" }))).toBe("Sync failed");
    expect(lookOf(row("x", { operation: "Failed" }))).toBe("bad");
    expect(lookOf(row("x", { operation: "Running", health: "Missing" }))).toBe("work");
    expect(lookOf(row("x", { operation: "Succeeded", health: "Missing" }))).toBe("bad");
  });
});
