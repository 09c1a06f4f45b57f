// @vitest-environment jsdom
import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { Failure } from "../../src/lib/api";
import type { FleetState } from "../../src/lib/fleet";
import { headline } from "../../src/pages/app/page";
import { Causes, spread } from "../../src/pages/fleet/causes";
import { headlineOf } from "../../src/pages/fleet/page";
import { AppRow } from "../../src/pages/fleet/row";
import { Stairs, stairs } from "../../src/pages/fleet/stairs";
import { Dialog } from "../../src/ui/dialog";
import { Edits } from "../../src/ui/frame";
import { Failed } from "../../src/ui/note";
import { Told } from "../../src/ui/object";
import { VirtualList } from "../../src/ui/virtual";
import { cause, row } from "./rows";

let box = document.createElement("div");

function shown(what: ComponentChild): HTMLElement {
  box = document.createElement("div");
  box.id = "app";
  document.body.append(box);
  act(() => render(what, box));
  return box;
}

afterEach(() => {
  act(() => render(null, box));
  document.body.replaceChildren();
});

describe("the fleet's sentence", () => {
  const head = (total: number, causes = 0) =>
    ({ total, good: 0, causes: Array.from({ length: causes }, (_, i) => cause(i + 1)) }) as unknown as NonNullable<
      FleetState["head"]
    >;
  it("counts who needs you, and causes", () => {
    const rows = [row("a", { health: "Degraded" }), row("b", { sync: "OutOfSync" }), row("c")];
    expect(headlineOf({ head: head(3, 1), complete: true }, rows)).toBe("2 of 3 apps need you. 1 cause.");
    expect(headlineOf({ head: head(2), complete: true }, [row("a", { health: "Degraded" }), row("b")])).toBe(
      "1 of 2 apps needs you.",
    );
  });
  it("says that work is on its way, and that all is well", () => {
    expect(headlineOf({ head: head(2), complete: true }, [row("a", { health: "Progressing" }), row("b")])).toBe(
      "1 of 2 apps is on its way.",
    );
    expect(headlineOf({ head: head(2), complete: true }, [row("a"), row("b")])).toBe(
      "All 2 apps are Synced and Healthy.",
    );
  });
  it("does not say that all is well before every row is read", () => {
    expect(headlineOf({ head: head(8000), complete: false }, [row("a")])).not.toContain("All");
  });
});

describe("an app's sentence", () => {
  it("tells state, time and reason", () => {
    const at = Date.parse("2030-01-01T00:42:00Z");
    expect(headline(row("web", { health: "Degraded", sentence: "its pod waits for Secret x." }), undefined, at)).toBe(
      "web is Degraded since 42 min: its pod waits for Secret x.",
    );
    expect(headline(row("web"), undefined, at)).toBe("web is Synced and Healthy.");
    const failed = row("web", { operation: "Failed", sync: "OutOfSync", sentence: "web: no such image" });
    expect(headline(failed, undefined, at)).toBe("web failed to sync and is OutOfSync since 42 min: no such image.");
  });
});

describe("rows", () => {
  it("show shape, word and cause, and the whole name to those who ask", () => {
    const told = shown(
      <AppRow
        row={row("a-long-name", { health: "Degraded", sentence: "waits", causes: ["c2"] })}
        ranks={new Map([["c2", 2]])}
        selected={false}
        picked={false}
        minute={0}
        stale={false}
        beside={(one) => one.project}
      />,
    );
    expect(told.querySelector("[role=img]")?.getAttribute("aria-label")).toBe("Degraded");
    expect(told.querySelector(".ref")?.textContent).toBe("#2");
    expect(told.querySelector(".nm")?.getAttribute("title")).toBe("a-long-name");
  });
  it("are grey rings where they are stale, whatever they were", () => {
    const told = shown(
      <AppRow
        row={row("a")}
        ranks={new Map()}
        selected={false}
        picked={false}
        minute={0}
        stale
        beside={(one) => one.project}
      />,
    );
    expect(told.querySelector(".sh")?.getAttribute("class")).toContain("unk");
    expect(told.textContent).toContain("when last seen");
  });
});

describe("causes", () => {
  it("tell how they spread, in counts", () => {
    const one = cause(1, {
      apps: 67,
      chain: ["63 ExternalSecret SecretSyncedError", "39 Secret absent", "67 Application Degraded"],
    });
    expect(spread(one)).toBe("ClusterSecretStore/vault → 63 ExternalSecrets → 39 Secrets absent → 67 apps");
  });
  it("name what they hide", () => {
    const many = Array.from({ length: 12 }, (_, i) => cause(i + 1));
    expect(shown(<Causes causes={many} rows={[]} now={0} />).textContent).toContain("6 more causes, of 12 apps");
  });
  it("ask for a decision where there is neither edit nor command", () => {
    const told = shown(<Causes causes={[cause(1), cause(2, { files: 1 })]} rows={[]} now={0} />).textContent;
    expect(told).toContain("Decide");
    expect(told).toContain("1 file");
  });
});

describe("the stairs of repair", () => {
  it("never go down", () => {
    const steps = stairs(
      83,
      [
        { cause: "c1", goodAfter: 95 },
        { cause: "c2", goodAfter: 95 },
        { cause: "c3", goodAfter: 90 },
      ],
      [cause(1), cause(2), cause(3)],
    );
    expect(steps.map((step) => [step.before, step.after])).toEqual([
      [83, 95],
      [95, 95],
      [95, 95],
    ]);
  });
  it("say that they predict", () => {
    expect(
      shown(<Stairs good={1} total={3} repairs={[{ cause: "c1", goodAfter: 3 }]} causes={[cause(1)]} />).textContent,
    ).toContain("predicted");
  });
});

describe("states", () => {
  it("name the missing permission and offer a way in", () => {
    expect(shown(<Failed failure={new Failure(403, "permission denied")} what="The plan" />).textContent).toContain(
      "You may not see The plan",
    );
    expect(
      shown(<Failed failure={new Failure(401, "x")} what="The plan" />)
        .querySelector("a")
        ?.getAttribute("href"),
    ).toContain("/login?to=");
  });
});

describe("small parts", () => {
  it("set names in sentences as names", () => {
    const told = shown(<Told text={'Secret/app/x is "not" there: values/a.yaml:9'} />);
    expect([...told.querySelectorAll(".m")].map((one) => one.textContent)).toEqual([
      "Secret/app/x",
      "not",
      "values/a.yaml:9",
    ]);
    expect(told.textContent).toBe("Secret/app/x is not there: values/a.yaml:9");
  });
  it("show edits as lines that go and come", () => {
    const told = shown(
      <Edits
        edits={[
          { place: { file: "a.yaml", line: 7, column: 0 }, before: "a: 1", after: "a: 2" },
          { place: { file: "a.yaml", line: 9, column: 0 }, after: "b: 1" },
        ]}
      />,
    );
    expect([...told.querySelectorAll("li")].map((one) => one.textContent)).toEqual(["7−a: 1", "7+a: 2", "10+b: 1"]);
  });
  it("draw only the part of a long list that can be seen", () => {
    const items = Array.from({ length: 8000 }, (_, i) => ({ key: String(i), height: 32 }));
    const told = shown(<VirtualList items={items} label="x" draw={(item) => <span>{item.key}</span>} />);
    expect(told.querySelectorAll(".vitem").length).toBeLessThan(200);
    expect(told.querySelector<HTMLElement>(".vlist")?.style.height).toBe("256000px");
  });
});

describe("a dialog", () => {
  it("takes the focus, makes the page inert, and gives both back", () => {
    const button = document.createElement("button");
    document.body.append(button);
    button.focus();
    shown(
      <Dialog label="x" close={() => undefined}>
        <input />
      </Dialog>,
    );
    expect(document.activeElement?.tagName).toBe("INPUT");
    expect(box.hasAttribute("inert")).toBe(true);
    act(() => render(null, box));
    expect(document.activeElement).toBe(button);
    expect(box.hasAttribute("inert")).toBe(false);
  });
});
