// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Row } from "../../src/lib/types";
import { row } from "./rows";

// A server in few words: the fleet as it is, and a stream that says nothing until it breaks.
let rows: Row[];
let told: string;
let asked: string[];
let breakStream: () => void;

function answer(path: string): Response {
  asked.push(path);
  const url = new URL(path, "http://page");
  if (url.pathname.endsWith("/stream/fleet")) {
    const body = new ReadableStream({
      start(controller) {
        breakStream = () => controller.close();
      },
    });
    return new Response(body);
  }
  const limit = Number(url.searchParams.get("limit")) || rows.length;
  const shown = url.searchParams.get("rows") === "false" ? [] : rows.slice(0, limit);
  const head = { asOf: "", version: "1", trouble: "", total: rows.length, good: 0, matching: 0, counts: {} };
  const diagnosis = { state: "ready", asOf: "", seconds: 0, message: "" };
  return Response.json({ ...head, diagnosis, told, causes: [], repairs: [], rows: shown });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  [rows, told, asked] = [Array.from({ length: 300 }, (_, i) => row(`app-${i}`)), "one", []];
  vi.stubGlobal("fetch", (path: string) => Promise.resolve(answer(path)));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function followed() {
  const { fleet } = await import("../../src/lib/fleet");
  const sizes: number[] = [];
  fleet.listen(() => sizes.push(fleet.state.rows.size));
  await vi.waitFor(() => expect(fleet.state.links).toBe(1));
  return { fleet, sizes };
}

describe("the fleet", () => {
  it("never shrinks because its stream was lost", async () => {
    const { fleet, sizes } = await followed();
    expect(sizes).toContain(200);
    sizes.length = 0;
    breakStream();
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(500);
      expect(fleet.state.links).toBe(2);
    });
    expect(new Set(sizes)).toEqual(new Set([300]));
    expect(fleet.state.lostAt).toBe(0);
  });

  it("takes in what the diagnosis says of other rows, though there are as many as before", async () => {
    const { fleet } = await followed();
    rows = rows.map((one) => (one.name === "app-7" ? { ...one, causes: ["c"] } : one));
    await vi.advanceTimersByTimeAsync(6000);
    expect(fleet.state.rows.get("argocd/app-7")!.causes).toEqual([]);
    told = "two";
    await vi.advanceTimersByTimeAsync(6000);
    expect(fleet.state.rows.get("argocd/app-7")!.causes).toEqual(["c"]);
  });
});
