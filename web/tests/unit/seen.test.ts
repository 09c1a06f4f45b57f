// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pause, untilSeen, whileSeen } from "../../src/lib/seen";

let state: "visible" | "hidden" = "visible";

function become(next: typeof state): void {
  state = next;
  document.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => state);
});

afterEach(() => {
  state = "visible";
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a tab in the background", () => {
  it("gives its connection back, but not at a glance elsewhere", () => {
    const seen = whileSeen(new AbortController().signal);
    become("hidden");
    vi.advanceTimersByTime(3000);
    become("visible");
    vi.advanceTimersByTime(60_000);
    expect(seen.signal.aborted).toBe(false);
    become("hidden");
    vi.advanceTimersByTime(6000);
    expect(seen.signal.aborted).toBe(true);
  });

  it("goes on once somebody looks", async () => {
    state = "hidden";
    let on = false;
    const going = untilSeen(new AbortController().signal).then(() => {
      on = true;
    });
    await Promise.resolve();
    expect(on).toBe(false);
    become("visible");
    await going;
    expect(on).toBe(true);
  });

  it("waits for nothing that is no longer wanted", async () => {
    state = "hidden";
    const stop = new AbortController();
    const all = Promise.all([untilSeen(stop.signal), pause(60_000, stop.signal)]);
    const seen = whileSeen(stop.signal);
    stop.abort();
    await all;
    expect(seen.signal.aborted).toBe(true);
  });
});
