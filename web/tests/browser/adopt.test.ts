// An app that would take over objects of an app that nobody knows here: a reader without `update` sees what waits and
// cannot approve it; whoever may, approves the list, and the app is synced.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations, complaints, headline, launch, signedIn } from "./browser";
import { hashed, Repository, type Running, startDemo } from "./server";

const SOON = { timeout: 60_000 };
const DIALOG = "[role=dialog]";
const LISTED = `${DIALOG} [aria-label='Objects to adopt'] li`;
const APPROVE = `${DIALOG} .btn:has-text('Adopt 1 object')`;
let running: Running;
let browser: Browser;
let admin: BrowserContext;
let repository: Repository;

beforeAll(async () => {
  running = await startDemo();
  repository = new Repository(running);
  browser = await launch();
  admin = await signedIn(browser, running);
  const metadata = { name: "settings", namespace: "foundling" };
  repository.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "foundling" } });
  repository.apply({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      ...metadata,
      annotations: { "argocd.argoproj.io/tracking-id": "elsewhere:/ConfigMap:foundling/settings" },
    },
    data: { colour: "green" },
  });
  const app = readFileSync(join(repository.folder, "root/hello.yaml"), "utf8").replaceAll("hello", "foundling");
  repository.commit("A foundling", {
    "apps/foundling/settings.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n",
    "root/foundling.yaml": app,
  });
  repository.kubectl(
    "annotate",
    "application",
    "demo",
    "-n",
    "argocd",
    "--overwrite",
    "argocd.argoproj.io/refresh=normal",
  );
  const patch = (kind: string, name: string, value: unknown) =>
    repository.kubectl("patch", kind, name, "-n", "argocd", "--type=merge", "-p", JSON.stringify(value));
  patch("configmap", "argocd-cm", { data: { "accounts.rita": "login" } });
  const policy = "g, rita, role:readonly\np, rita, applications, sync, */*, allow\n";
  patch("configmap", "argocd-rbac-cm", { data: { "policy.csv": policy } });
  patch("secret", "argocd-secret", {
    stringData: {
      "accounts.rita.password": hashed("only reading"),
      "accounts.rita.passwordMtime": "2020-01-01T00:00:00Z",
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

const colour = () =>
  repository.kubectl("get", "configmap/settings", "-n", "foundling", "-o", "jsonpath={.data.colour}");

async function open(page: Page): Promise<void> {
  await page.goto(`${running.base}/apps/foundling/why`);
  await headline(page, /^foundling is .*OutOfSync/, 90_000);
  await page.click(".acts .btn:has-text('Sync…')", SOON);
  await expect
    .poll(() => page.locator(LISTED).allTextContents(), SOON)
    .toEqual([expect.stringMatching(/ConfigMap.*settings.*tracked for elsewhere/)]);
}

async function signIn(page: Page): Promise<string> {
  await page.goto(`${running.base}/login`);
  await page.fill("input[name=username]", "rita");
  await page.fill("input[name=password]", "only reading");
  await page.click("button[type=submit]");
  return page
    .waitForURL((url) => url.pathname !== "/login", { timeout: 5000 })
    .then(
      () => "in",
      () => "out",
    );
}

describe("objects of an app that nobody knows here", () => {
  it("are shown to a reader without update, who cannot approve them", async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    // The server sees the new account when the cluster has told it.
    await expect.poll(() => signIn(page), { timeout: 60_000, interval: 1000 }).toBe("in");
    await open(page);
    await expect
      .poll(() => page.locator(DIALOG).textContent(), SOON)
      .toContain("You may not: that takes applications, update, default/foundling.");
    expect(await page.locator(APPROVE).count()).toBe(0);
    // Nor past the page.
    const status = await page.evaluate(async () => {
      const sent = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
      return (await fetch("/api/v1/applications/foundling/adopt", sent)).status;
    });
    expect(status).toBe(403);
    expect(colour()).toBe("green");
    await context.close();
  });

  it("are listed and approved by one who may update the app, and synced then", async () => {
    const page = await admin.newPage();
    const complained = complaints(page);
    await open(page);
    expect(await axeViolations(page)).toEqual([]);
    expect(colour()).toBe("green");
    await page.click(APPROVE, SOON);
    await expect.poll(() => page.locator(LISTED).count(), SOON).toBe(0);
    await page.keyboard.press("Escape");
    await headline(page, /^foundling is Synced/, 90_000);
    expect(colour()).toBe("blue");
    const recorded = repository.kubectl(
      "get",
      "application",
      "foundling",
      "-n",
      "argocd",
      "-o",
      "jsonpath={.metadata.annotations}",
    );
    expect(recorded).toContain("syncline.io/adopted");
    expect(complained).toEqual([]);
  });
});
