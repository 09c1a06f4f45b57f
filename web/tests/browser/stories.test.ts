// The page before the stories that come with Syncline: what is wrong, why, and how it gets better.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { axeViolations, complaints, headline, launch, signedIn } from "./browser";
import { Repository, type Running, startStory } from "./server";

// A story delivers hundreds of objects first, and a busy machine takes its time for that.
vi.setConfig({ testTimeout: 600_000 });
const SOON = { timeout: 120_000 };
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
});

/** Play with a story for the time of one test. */
async function within(
  name: string,
  act: (page: Page, running: Running) => Promise<void>,
  expected = /^\d+ of \d+ apps need you\. \d+ causes?\.$/,
): Promise<void> {
  const running = await startStory(name);
  let context: BrowserContext | undefined;
  try {
    context = await signedIn(browser, running);
    const page = await context.newPage();
    const complained = complaints(page);
    await page.goto(`${running.base}/fleet`);
    // The reasoning behind the causes takes its time.
    await headline(page, expected, 240_000);
    await act(page, running);
    expect(complained).toEqual([]);
  } finally {
    await context?.close();
    await running.stop();
  }
}

/** `12 of 40 apps need you. 3 causes.` are three numbers; where all is well nobody needs you. */
async function numbers(page: Page): Promise<[number, number, number]> {
  const said = (await page.locator("h1").first().textContent()) ?? "";
  const found = (said.match(/\d+/g) ?? []).map(Number);
  return said.startsWith("All") ? [0, found[0]!, 0] : [found[0]!, found[1]!, found[2] ?? 0];
}

describe("the first screen", () => {
  it.each(["kubeflow", "self-healing"])("of %s counts what is wrong and names the causes", async (name) => {
    await within(name, async (page) => {
      const [bad, all] = await numbers(page);
      expect(bad).toBeGreaterThan(0);
      expect(bad).toBeLessThanOrEqual(all);
      await expect.poll(() => page.locator(".cause").count(), SOON).toBeGreaterThan(0);
      expect(await axeViolations(page)).toEqual([]);
    });
  });

  it("of homelab says that all is well, for so it looks", async () => {
    const act = async (page: Page) => {
      await expect.poll(() => page.locator("h2:has-text('Last deliveries')").count(), SOON).toBe(1);
      expect(await axeViolations(page)).toEqual([]);
    };
    await within("homelab", act, /^All \d+ apps are Synced and Healthy\.$/);
  });
});

describe("ameide", () => {
  it("is told in causes, cause by cause and app by app", async () => {
    await within("ameide", async (page) => {
      const [bad, all] = await numbers(page);
      expect(all).toBe(200);
      expect(bad).toBeGreaterThan(100);
      // Far fewer causes than apps: the same is never told once per app.
      const causes = await page.locator(".cause").count();
      expect(causes).toBeLessThan(12);
      const first = await page.locator(".cause .say").first().textContent();
      await page.goto(`${new URL(page.url()).origin}/causes/1`);
      await expect.poll(() => page.locator("h1").first().textContent(), SOON).toContain(first!.slice(0, 40));
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`${new URL(page.url()).origin}/fleet?cause=&status=need-you&group=none`);
      await page.locator(".row").first().click();
      await expect.poll(() => page.locator(".hop").count(), SOON).toBeGreaterThan(0);
      await expect.poll(() => page.locator("main").textContent(), SOON).toMatch(/cause\s*#\d/);
      expect(await axeViolations(page)).toEqual([]);
    });
  });
});

describe("private-ai", () => {
  it("gets better with each repair, and the page counts along", async () => {
    await within("private-ai", async (page, running) => {
      const [before, all] = await numbers(page);
      const repository = new Repository(running, "syncline-demo-private-ai");
      const repairs = join(repository.folder, "..", "repairs");
      const scripts = readdirSync(repairs).filter((name) => name.endsWith(".sh"));
      expect(scripts.length).toBeGreaterThan(0);
      await page.locator(".cause a:has-text('Why')").first().click();
      await expect.poll(() => new URL(page.url()).pathname, SOON).toMatch(/^\/causes\//);
      await page.goto(`${running.base}/fleet`);
      repository.shell(join(repairs, "1.sh"));
      await expect.poll(async () => (await numbers(page))[0], { timeout: 240_000, interval: 500 }).toBeLessThan(before);
      expect((await numbers(page))[1]).toBe(all);
    });
  });
});
