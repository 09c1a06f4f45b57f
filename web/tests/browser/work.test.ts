// What people do with the page beyond reading: check a branch, ask who wrote a line, sync several apps, find an object,
// sign in with a password; and a reader sees no button that he may not press. One demo for all of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations, complaints, headline, launch, scrollsSideways, signedIn } from "./browser";
import { hashed, Repository, type Running, startDemo } from "./server";

const SOON = { timeout: 30_000 };
let running: Running;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complained: string[];
let repository: Repository;

beforeAll(async () => {
  running = await startDemo();
  repository = new Repository(running);
  browser = await launch();
  context = await signedIn(browser, running);
  page = await context.newPage();
  complained = complaints(page);
  await page.goto(`${running.base}/fleet`);
  await headline(page, /^All 4 apps/, 90_000);
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

const text = (selector: string) => page.locator(selector).first().textContent();
const ended = (app: string) =>
  repository.kubectl("get", "application", app, "-n", "argocd", "-o", "jsonpath={.status.operationState.phase}");
const refresh = (app: string) =>
  repository.kubectl(
    "annotate",
    "application",
    app,
    "-n",
    "argocd",
    "--overwrite",
    "argocd.argoproj.io/refresh=normal",
  );
const read = (name: string) => readFileSync(join(repository.folder, name), "utf8");

describe("a branch before its merge", () => {
  it("is chosen, looked at in the background, and told app by app and field by field", async () => {
    repository.git("checkout", "--quiet", "-b", "more");
    repository.commit("More of everything", {
      "apps/hello/web.yaml": read("apps/hello/web.yaml").replace("replicas: 2", "replicas: 5"),
      "root/extra.yaml": read("root/hello.yaml").replaceAll("hello", "extra"),
    });
    repository.git("checkout", "--quiet", "main");
    await page.goto(`${running.base}/check`);
    await headline(page, /^Check a branch/);
    await page.fill("input[name=head]", "more");
    await page.click("button[type=submit]");
    await headline(page, /^This change touches 2 apps\. Look at 1 danger and 1 new error before you merge\.$/, 60_000);
    const rows = await page.locator(".sd").allTextContents();
    expect(
      rows.some((row) => /hello.*Deployment\/web.*spec\.replicas.*2 → 5.*apps\/hello\/web\.yaml:8/.test(row)),
    ).toBe(true);
    expect(rows.some((row) => row.includes("extra") && row.includes("new app"))).toBe(true);
    expect(new URL(page.url()).searchParams.get("head")).toBe("more");
    expect(await axeViolations(page)).toEqual([]);
  });

  it("brings a mistake that is shown with its line, and the same link shows the same", async () => {
    expect(await text(".fnd .h b")).toMatch(/^[A-Z]{3}-\d{3} /);
    expect(await page.locator(".fnd .frame .mk").count()).toBe(1);
    const other = await context.newPage();
    await other.goto(page.url());
    await headline(other, /^This change touches 2 apps/);
    await other.setViewportSize({ width: 390, height: 844 });
    expect(await scrollsSideways(other)).toBe(false);
    await other.close();
  });

  it("that does not exist is one sentence, with those that do", async () => {
    await page.goto(`${running.base}/check?head=nowhere`);
    await headline(page, /^Nothing is known about nowhere\.$/);
    expect(await text("main")).toContain("branches of");
  });
});

describe("who wrote it", () => {
  it("is told for every line, and for a chart by the value that moves it", async () => {
    await page.goto(`${running.base}/apps/hello/manifest?object=apps/Deployment:hello/web`);
    await expect
      .poll(() => page.locator(".blamed .wrote").allTextContents(), SOON)
      .toContainEqual(expect.stringMatching(/^[0-9a-f]{7} Syncline demo$/));
    expect(await page.locator(".blamed .at").allTextContents()).toContain("web.yaml:8");
    await page.goto(`${running.base}/apps/shop/manifest?object=apps/Deployment:shop/shop`);
    await page.click("button.ask:has-text('image:')");
    await expect
      .poll(() => page.locator(".blame .bl").allTextContents(), SOON)
      .toContainEqual(expect.stringMatching(/values.*apps\/shop\/values\.yaml:2.*Syncline demo/));
    expect(await axeViolations(page)).toEqual([]);
  });

  it("stands beside a difference too: who in Git, and who in the cluster", async () => {
    const byHand = read("root/hello.yaml").replace(/ {4}automated:\n {6}prune: true\n {6}selfHeal: true\n/, "");
    repository.commit("Sync hello by hand", { "root/hello.yaml": byHand });
    refresh("demo");
    await page.goto(`${running.base}/apps/hello/diff`);
    await expect.poll(() => text(".facts"), SOON).toContain("syncs by hand");
    repository.kubectl("scale", "deployment/web", "-n", "hello", "--replicas=3");
    await page.goto(`${running.base}/apps/hello/diff`);
    await expect
      .poll(() => page.locator(".drow:not(.hd)").allTextContents(), SOON)
      .toContainEqual(expect.stringMatching(/replicas.*apps\/hello\/web\.yaml:8.*[0-9a-f]{7} Syncline demo.*kubectl/));
  });
});

describe("several apps at once", () => {
  it("are picked with x, planned one by one, and synced with what was shown", async () => {
    await page.goto(`${running.base}/fleet?status=all&group=none`);
    await page.waitForSelector(".row[data-key='argocd/shop']");
    const pick = async (name: string) => {
      await expect
        .poll(
          async () => {
            const here = await page
              .locator(".row.sel")
              .getAttribute("data-key", { timeout: 500 })
              .catch(() => "");
            if (here !== `argocd/${name}`) await page.keyboard.press("j");
            return here;
          },
          { ...SOON, interval: 300 },
        )
        .toBe(`argocd/${name}`);
      await page.keyboard.press("x");
      await expect.poll(() => page.locator(`.row.picked[data-key='argocd/${name}']`).count(), SOON).toBe(1);
    };
    await pick("hello");
    await pick("shop");
    expect(new URL(page.url()).searchParams.get("picked")).toBe("argocd/hello,argocd/shop");
    await page.click(".picked .btn:has-text('Sync…')");
    await expect
      .poll(() => page.locator("[role=dialog]").getAttribute("aria-label"), SOON)
      .toMatch(/^Sync 2 apps: 1 object changes, 2 hooks run, nothing is deleted\.$/);
    expect(await axeViolations(page)).toEqual([]);
    await page.click("[role=dialog] .btn.pri");
    await expect
      .poll(() => page.locator(".pl.many .asked").allTextContents(), SOON)
      .toEqual([expect.stringMatching(/^asked /), expect.stringMatching(/^asked /)]);
    await page.keyboard.press("Escape");
    await expect
      .poll(() => repository.kubectl("get", "deployment/web", "-n", "hello", "-o", "jsonpath={.spec.replicas}"), SOON)
      .toBe("2");
    await headline(page, /^All 4 apps/, 60_000);
    await page.click(".picked .btn:has-text('Refresh')");
    await expect.poll(() => text(".picked [role=status]"), SOON).toMatch(/^2 apps refreshed/);
    await page.click(".picked .btn:has-text('Clear')");
    await expect.poll(() => page.locator("section.picked").count()).toBe(0);
  });
});

describe("a way back", () => {
  it("shows its plan, and is held to it", async () => {
    const subject = `Four of <b>them</b> <img src=x onerror="document.title='hit'"> \u05e9\u05dc\u05d5\u05dd`;
    repository.commit(subject, {
      "apps/hello/web.yaml": read("apps/hello/web.yaml").replace("replicas: 2", "replicas: 4"),
    });
    refresh("hello");
    await page.goto(`${running.base}/apps/hello/history`);
    await expect.poll(() => text("h1"), SOON).toContain("OutOfSync");
    await page.click(".acts .btn:has-text('Sync…')");
    await page.click("[role=dialog] .btn.pri", { timeout: 30_000 });
    await expect
      .poll(() => repository.kubectl("get", "deployment/web", "-n", "hello", "-o", "jsonpath={.spec.replicas}"), SOON)
      .toBe("4");
    // Nothing else may run meanwhile: a rollback is an operation like any other.
    await expect.poll(() => ended("hello"), SOON).toBe("Succeeded");
    await page.goto(`${running.base}/apps/hello/history`);
    await expect.poll(() => page.locator("tbody tr").count(), SOON).toBeGreaterThan(1);
    // What people write is text, whatever it looks like.
    await expect.poll(() => text("tbody tr"), SOON).toContain(subject);
    expect(await page.title()).not.toBe("hit");
    await page.locator("a:has-text('Roll back…')").last().click();
    await expect
      .poll(() => page.locator("[role=dialog]").getAttribute("aria-label"), SOON)
      .toMatch(/^Roll back hello to [0-9a-f]{7}: 1 object changes/);
    await page.click("[role=dialog] .btn.pri");
    await expect
      .poll(() => repository.kubectl("get", "deployment/web", "-n", "hello", "-o", "jsonpath={.spec.replicas}"), SOON)
      .toBe("2");
  });
});

describe("find", () => {
  it("knows objects, and leads to the one that was chosen", async () => {
    await page.goto(`${running.base}/fleet?show=find`);
    await page.locator("[role=combobox]").fill("worker");
    await expect
      .poll(() => page.locator("[role=group][aria-label=Objects] [role=option]").allTextContents(), SOON)
      .toContainEqual(expect.stringContaining("Deployment/hello/worker"));
    await page.click("[role=group][aria-label=Objects] [role=option]");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/apps/hello/why");
    await expect.poll(() => page.locator(".tn.sel").textContent(), SOON).toContain("worker");
  });
});

describe("drift that somebody accepted", () => {
  it("is on the quiet page, with its reason and its end", async () => {
    const rule =
      '- {group: apps, kind: Deployment, jsonPointers: [/spec/replicas], reason: the autoscaler decides, expires: "2031-01-01"}';
    repository.kubectl(
      "annotate",
      "application",
      "shop",
      "-n",
      "argocd",
      "--overwrite",
      `syncline.io/accepted-drift=${rule}`,
    );
    const sync = '{"operation":{"sync":{}}}';
    repository.kubectl("patch", "application", "hello", "-n", "argocd", "--type=merge", "-p", sync);
    await page.goto(`${running.base}/fleet`);
    await headline(page, /^All 4 apps/, 60_000);
    await expect
      .poll(() => text(".sd.acc"), SOON)
      .toMatch(/shop.*\/spec\/replicas.*the autoscaler decides.*until 2031-01-01/);
    expect(complained).toEqual([]);
  });
});

describe("signing in", () => {
  it("takes the right password, and leads back to where one wanted to go", async () => {
    const encoded = repository.kubectl(
      "get",
      "secret",
      "argocd-initial-admin-secret",
      "-n",
      "argocd",
      "-o",
      "jsonpath={.data.password}",
    );
    const stranger = await browser.newContext();
    const door = await stranger.newPage();
    await door.goto(`${running.base}/apps/hello/why`);
    await door.click("text=Sign in");
    await headline(door, /^Sign in to Syncline$/);
    await door.fill("input[name=username]", "admin");
    await door.fill("input[name=password]", Buffer.from(encoded, "base64").toString());
    await door.click("button[type=submit]");
    await headline(door, /^hello is/);
    expect(new URL(door.url()).pathname).toBe("/apps/hello/why");
    await expect.poll(() => door.locator(".acts .btn:has-text('Sync…')").count(), SOON).toBe(1);
    await stranger.close();
  });

  it("as a reader shows everything, and no button that a reader may not press", async () => {
    const patch = (kind: string, name: string, value: unknown) =>
      repository.kubectl("patch", kind, name, "-n", "argocd", "--type=merge", "-p", JSON.stringify(value));
    patch("configmap", "argocd-cm", { data: { "accounts.rita": "login" } });
    patch("configmap", "argocd-rbac-cm", { data: { "policy.csv": "g, rita, role:readonly\n" } });
    patch("secret", "argocd-secret", {
      stringData: {
        "accounts.rita.password": hashed("only reading"),
        "accounts.rita.passwordMtime": "2020-01-01T00:00:00Z",
      },
    });
    const stranger = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const reader = await stranger.newPage();
    const signIn = async () => {
      await reader.goto(`${running.base}/login`);
      await reader.fill("input[name=username]", "rita");
      await reader.fill("input[name=password]", "only reading");
      await reader.click("button[type=submit]");
      await reader.waitForURL((url) => url.pathname !== "/login", { timeout: 5000 });
    };
    // The server sees the new account when the cluster has told it.
    await expect
      .poll(
        () =>
          signIn().then(
            () => "in",
            () => "out",
          ),
        { timeout: 60_000, interval: 1000 },
      )
      .toBe("in");
    await headline(reader, /^All 4 apps/, 60_000);
    const asked: string[] = [];
    reader.on("request", (request) => {
      if (request.method() !== "GET") asked.push(`${request.method()} ${request.url()}`);
    });
    expect(await reader.locator("button[aria-label^='Break']").count()).toBe(0);
    for (const path of [
      "/apps/hello/why",
      "/apps/hello/history",
      "/apps/hello/why?show=sync",
      "/fleet?picked=argocd/hello",
    ]) {
      const told = reader.waitForResponse(/\/can-i\//, SOON);
      await reader.goto(running.base + path);
      await headline(reader, /hello is|All 4 apps/);
      await (await told).finished();
      for (const word of ["Sync…", "Roll back…", "Stop sync…", "Sync 1 app"])
        expect(await reader.locator(`.btn:has-text("${word}")`).count(), `${word} on ${path}`).toBe(0);
      if (path.startsWith("/apps"))
        await expect
          .poll(() => reader.locator(".facts").textContent(), SOON)
          .toContain("you may not sync it: that takes applications, sync, default/hello");
      await reader.keyboard.press("s");
      expect(await reader.locator("[role=dialog]").count(), path).toBe(0);
    }
    expect(await reader.locator(".picked .btn:has-text('Refresh')").count()).toBe(1);
    expect(asked).toEqual([]);
    // Rights that are given and taken while a page is open.
    await reader.goto(`${running.base}/apps/hello`);
    const policy = "g, rita, role:readonly\np, rita, applications, sync, */*, allow\n";
    patch("configmap", "argocd-rbac-cm", { data: { "policy.csv": policy } });
    await expect.poll(() => reader.locator(".btn:has-text('Sync…')").count(), SOON).toBe(1);
    patch("configmap", "argocd-rbac-cm", { data: { "policy.csv": "" } });
    await expect.poll(() => reader.locator("main").innerText(), SOON).toContain("You may not see Application hello.");
    await reader.goto(`${running.base}/fleet`);
    await headline(reader, /^No Application that you may see\.$/);
    await stranger.close();
  });
});

describe("an app of 2,000 objects", () => {
  it("opens with only the bad path", async () => {
    const many = Array.from(
      { length: 2000 },
      (_, i) =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-${String(i).padStart(4, "0")}}\ndata: {n: "${i}"}\n`,
    ).join("---\n");
    repository.commit("Very many", {
      "apps/hello/many.yaml": many,
      "apps/hello/web.yaml": read("apps/hello/web.yaml").replace(/hello:1\.0/, "hello:broken"),
    });
    const sync = '{"operation":{"sync":{}}}';
    refresh("hello");
    await page.goto(`${running.base}/apps/hello/why`);
    await expect.poll(() => text("h1"), { timeout: 200_000 }).toContain("OutOfSync");
    repository.kubectl("patch", "application", "hello", "-n", "argocd", "--type=merge", "-p", sync);
    await expect
      .poll(() => text("[aria-label=Objects] .sh-row"), { timeout: 300_000 })
      .toMatch(/2,0\d\d, of which [1-9]/);
    await expect
      .poll(() => page.locator("[role=treeitem]").allTextContents(), { timeout: 200_000 })
      .toContainEqual(expect.stringMatching(/2,00\d ConfigMaps/));
    expect(await page.locator("[role=treeitem]").count()).toBeLessThan(20);
    await expect
      .poll(async () => (await page.locator("[role=treeitem] .c-bad").allTextContents()).join(), { timeout: 200_000 })
      .toMatch(/ErrImagePull|ImagePullBackOff/);
    await page.click("[aria-label=Objects] a:has-text('Open all')");
    await expect.poll(() => page.locator("[role=treeitem]").count(), SOON).toBeGreaterThan(2000);
  }, 600_000);
});
