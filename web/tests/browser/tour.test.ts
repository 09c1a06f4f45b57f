// A newcomer's first minutes: waves complete, break with kubectl, break by commit, read the cause, fix, recover.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complaints, headline, launch, signedIn } from "./browser";
import { type Running, startDemo } from "./server";

let running: Running;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complained: string[];

beforeAll(async () => {
  running = await startDemo();
  browser = await launch();
  context = await signedIn(browser, running);
  page = await context.newPage();
  complained = complaints(page);
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

describe("a newcomer", () => {
  it("sees the demo come up, live, without loading the page again", async () => {
    await page.goto(`${running.base}/fleet`);
    await headline(page, /^All 4 apps are Synced and Healthy\.$/);
    expect(await page.locator(".row .nm").allTextContents()).toEqual(["demo", "hello", "platform", "shop"]);
  });

  it("sees the waves of an app, done", async () => {
    await page.click(".row[data-key='argocd/hello']");
    await page.click(".tabs a:has-text('Waves')");
    await expect.poll(() => page.locator(".wv.done").count()).toBe(4);
    expect(new URL(page.url()).pathname).toBe("/apps/hello/waves");
  });

  it("breaks it as with kubectl, and it heals", async () => {
    await page.goto(`${running.base}/fleet`);
    await page.click("button[aria-label^='Break: Delete']");
    await expect.poll(() => page.locator(".demo li").first().textContent(), { timeout: 20_000 }).toContain("self-heal");
    await expect
      .poll(() => running.said(), { timeout: 30_000 })
      .toMatch(/deployment\.apps\/web created[\s\S]*deployment\.apps\/web created/);
    await headline(page, /^All 4 apps/);
  });

  it("breaks it by a commit, and reads the cause with its line in Git", async () => {
    await page.click("button[aria-label^='Break: Commit']");
    await headline(page, /need you\. 1 cause\.$/, 90_000);
    expect(await page.locator(".cause .say").first().textContent()).toContain("registry.example/hello:broken");
    await page.click(".row[data-key='argocd/hello']");
    await expect
      .poll(() => page.locator(".hop.first").textContent(), { timeout: 30_000 })
      .toContain("apps/hello/web.yaml:19");
    expect(await page.locator("h1").textContent()).toContain("stuck");
    // The image is named by this app's own file: it must not say that there is nothing to change here.
    expect(await page.locator("main").textContent()).not.toContain("Nothing to change in this app");
  });

  it("sees the plan of the sync that runs, and leaves it alone", async () => {
    await page.keyboard.press("s");
    await expect
      .poll(() => page.locator("[role=dialog]").getAttribute("aria-label"))
      .toContain("Stop the sync of hello");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("[role=dialog]").count()).toBe(0);
  });

  it("heals it from the page, and everything is well again", async () => {
    await page.goto(`${running.base}/fleet`);
    await page.click("button[aria-label^='Heal: Commit']");
    await headline(page, /^All 4 apps are Synced and Healthy\.$/, 90_000);
    expect(complained).toEqual([]);
  });

  it("is told when the server is gone, and nothing is called OK that nobody looks at", async () => {
    await running.stop();
    await expect
      .poll(() => page.locator(".note.bad").textContent(), { timeout: 30_000 })
      .toContain("The page shows what it last knew.");
    await expect
      .poll(() => page.locator(".row .sh").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))), {
        timeout: 60_000,
      })
      .toEqual(Array(4).fill("stale, was OK"));
  });
});
