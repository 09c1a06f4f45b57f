// A page that stays open shows how things are, without being loaded again: whatever is created, changed or deleted
// beside it, whoever signs it out, and however many tabs there are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations, complaints, headline, launch, signedIn } from "./browser";
import { Repository, type Running, startDemo } from "./server";

const SOON = { timeout: 20_000 };
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

function create(): void {
  repository.apply({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "mine", namespace: "argocd" },
    spec: {
      project: "default",
      source: { repoURL: repository.folder, path: "apps/hello", targetRevision: "HEAD" },
      destination: { server: "https://kubernetes.default.svc", namespace: "mine" },
      syncPolicy: { syncOptions: ["CreateNamespace=true"] },
    },
  });
}

function main(of = page): Promise<string> {
  return of.locator("main").innerText();
}

describe("a page that stays open", () => {
  it("shows an app that is created after it was asked for", async () => {
    await page.goto(`${running.base}/apps/mine`);
    await expect.poll(main, SOON).toContain("There is no Application mine.");
    create();
    await headline(page, /^mine is Missing and OutOfSync/, 20_000);
  });

  it("shows each difference of an object that differs already", async () => {
    repository.kubectl("patch", "app", "mine", "-n", "argocd", "--type=merge", "-p", '{"operation":{"sync":{}}}');
    await headline(page, /^mine is Synced and Healthy\.$/, 40_000);
    await page.goto(`${running.base}/apps/mine/diff?view=yaml`);
    repository.kubectl("set", "image", "deploy/web", "-n", "mine", "web=registry.example/hello:1.0-debug");
    const lines = () => page.locator(".cm-content").innerText({ timeout: 1000 });
    await expect.poll(lines, SOON).toContain("hello:1.0-debug");
    repository.kubectl("scale", "deploy/web", "-n", "mine", "--replicas=5");
    await expect.poll(lines, SOON).toContain("replicas: 5");
    // Both sides are where one looks for them: beside the numbers of the lines.
    const top = (of: string) => page.locator(of).first().boundingBox();
    const [number, text] = [await top(".cm-lineNumbers"), await top(".cm-content")];
    expect(Math.abs(number!.y - text!.y)).toBeLessThan(20);
    expect(await axeViolations(page)).toEqual([]);
  });

  it("shows what another commit renders", async () => {
    await page.goto(`${running.base}/apps/mine/manifest?object=apps/Deployment:/worker`);
    await expect.poll(main, SOON).toContain("  replicas: 1\n");
    const worker = readFileSync(join(repository.folder, "apps/hello/worker.yaml"), "utf8");
    repository.commit("three workers", { "apps/hello/worker.yaml": worker.replace("replicas: 1", "replicas: 3") });
    await expect.poll(main, SOON).toContain("  replicas: 3\n");
  });

  it("says that an app was deleted, and shows it when it is back", async () => {
    repository.kubectl("delete", "app", "mine", "-n", "argocd");
    await expect.poll(main, SOON).toContain("mine was deleted.");
    expect(await page.locator("a:has-text('Sync…')").count()).toBe(0);
    create();
    await headline(page, /^mine is (Missing and )?OutOfSync/, 20_000);
  });

  it("takes no connection in a tab that nobody sees, so that any number of tabs works", async () => {
    const tabs: Page[] = [];
    for (let i = 0; i < 4; i++) {
      const tab = await context.newPage();
      await tab.addInitScript(() => Object.defineProperty(document, "visibilityState", { get: () => "hidden" }));
      await tab.goto(`${running.base}/apps/hello`);
      tabs.push(tab);
    }
    const last = await context.newPage();
    await last.goto(`${running.base}/apps/hello/diff`);
    await expect.poll(() => main(last), SOON).toContain("Git and cluster agree");
    for (const tab of [...tabs, last]) await tab.close();
  });

  it("is not called live while the server does not answer", async () => {
    const other = await context.newPage();
    await other.goto(`${running.base}/apps/hello`);
    await headline(other, /^hello is Synced and Healthy\.$/, 20_000);
    await other.route(/\/syncline\/fleet/, () => undefined);
    const trouble = () => other.locator(".trouble").innerText({ timeout: 1000 });
    await expect.poll(trouble, { timeout: 40_000 }).toContain("The page shows what it last knew.");
    await expect.poll(() => other.locator(".ctx").innerText()).toContain("not live since");
    await other.unroute(/\/syncline\/fleet/);
    await expect.poll(() => other.locator(".trouble").count(), { timeout: 60_000 }).toBe(0);
    await other.close();
  });

  it("reads a log again after the server was away", async () => {
    const other = await context.newPage();
    let asked = 0;
    await other.route(/\/applications\/platform\/logs\?/, (route) => (asked++ ? route.continue() : route.abort()));
    await other.goto(`${running.base}/apps/platform/logs`);
    await expect.poll(() => main(other), SOON).toContain("the server does not answer");
    await expect.poll(() => main(other), SOON).not.toContain("the server does not answer");
    expect(asked).toBe(2);
    await other.close();
  });

  it("says on every page that the session has ended", async () => {
    await page.goto(`${running.base}/apps/hello/waves`);
    await headline(page, /^hello is Synced and Healthy\.$/, 20_000);
    const ended = await page.evaluate(() =>
      fetch("/api/v1/session", {
        method: "DELETE",
        headers: { "Content-Type": "application/json", "X-Syncline-Request": "1" },
        body: "{}",
      }).then((answer) => answer.status),
    );
    expect(ended).toBe(200);
    await expect.poll(() => page.locator(".trouble").innerText(), SOON).toContain("Your session has ended.");
    expect(await page.locator(".trouble a").getAttribute("href")).toBe("/login?to=%2Fapps%2Fhello%2Fwaves");
    expect(complained).toEqual([]);
  });
});
