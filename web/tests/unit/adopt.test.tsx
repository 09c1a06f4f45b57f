// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Adoption } from "../../src/lib/types";
import { Adopt } from "../../src/pages/app/adopt";

const ADOPTION: Adoption = {
  digest: "abc123",
  objects: [
    {
      key: "/ConfigMap:shop/one",
      object: { kind: "ConfigMap", namespace: "shop", name: "one" },
      app: "<b>elsewhere</b>",
    },
    { key: "/ConfigMap:shop/two", object: { kind: "ConfigMap", namespace: "shop", name: "two" }, app: "elsewhere" },
  ],
};
let box = document.createElement("div");

const RIGHT = "applications, update, default/shop";

function shown(adoption: Adoption | undefined, again: () => void = () => undefined, may = true): HTMLElement {
  box = document.createElement("div");
  document.body.append(box);
  const name = { name: "shop", namespace: "" };
  act(() => render(<Adopt adoption={adoption} name={name} may={may} right={RIGHT} again={again} />, box));
  return box;
}

function answering(status: number, body: unknown) {
  const asked = vi.fn((_path: string, _options: RequestInit) =>
    Promise.resolve(new Response(JSON.stringify(body), { status })),
  );
  vi.stubGlobal("fetch", asked);
  return asked;
}

async function press(found: HTMLElement) {
  await act(async () => {
    found.querySelector("button")?.click();
    await new Promise((done) => setTimeout(done));
  });
}

afterEach(() => {
  act(() => render(null, box));
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

describe("objects of an unknown app", () => {
  it("shows nothing where nothing waits", () => {
    expect(shown(undefined).textContent).toBe("");
    expect(shown({ digest: "", objects: [] }).textContent).toBe("");
  });
  it("lists each object with the app it is tracked for, as text", () => {
    const found = shown(ADOPTION);
    expect(found.querySelectorAll("li")).toHaveLength(2);
    expect(found.querySelector("li")?.textContent).toContain("tracked for <b>elsewhere</b>");
    expect(found.querySelector("button")?.textContent).toBe("Adopt 2 objects");
  });
  it("shows the missing right instead of the button to whoever may not approve", () => {
    const found = shown(ADOPTION, undefined, false);
    expect(found.querySelectorAll("li")).toHaveLength(2);
    expect(found.querySelector("button")).toBeNull();
    expect(found.textContent).toContain("before someone approves it. You may not: that takes applications, update");
  });
  it("approves the list that is shown, and reads again", async () => {
    const asked = answering(200, {});
    const again = vi.fn();
    await press(shown(ADOPTION, again));
    expect(asked.mock.calls[0]?.[0]).toContain("/api/v1/applications/shop/adopt");
    expect(asked.mock.calls[0]?.[1].body).toBe(JSON.stringify({ digest: "abc123" }));
    expect(again).toHaveBeenCalledOnce();
  });
  it("shows the refusal, and reads again where another list waits", async () => {
    answering(403, { message: "permission denied" });
    const again = vi.fn();
    const found = shown(ADOPTION, again);
    await press(found);
    expect(found.textContent).toContain("permission denied");
    expect(again).not.toHaveBeenCalled();
    answering(409, { message: "other objects" });
    await press(found);
    expect(again).toHaveBeenCalledOnce();
  });
});
