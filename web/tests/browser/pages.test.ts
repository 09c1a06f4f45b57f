// Every page in both themes and on a phone: no violation, no complaint, nothing that scrolls sideways.
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations, complaints, headline, launch, scrollsSideways, signedIn } from "./browser";
import { type Running, startDemo } from "./server";

const PAGES: [string, RegExp][] = [
  ["/fleet", /^All 4 apps/],
  ["/fleet?status=Degraded", /^All 4 apps/],
  ["/fleet?show=find", /^All 4 apps/],
  ["/fleet?show=keys", /^All 4 apps/],
  ["/causes", /^No cause/],
  ["/apps/hello/why", /^hello is/],
  ["/apps/hello/why?open=all", /^hello is/],
  ["/apps/hello/diff", /^hello is/],
  ["/apps/hello/waves", /^hello is/],
  ["/apps/hello/timeline", /^hello is/],
  ["/apps/hello/logs", /^hello is/],
  ["/apps/hello/events", /^hello is/],
  ["/apps/hello/manifest", /^hello is/],
  ["/apps/hello/history", /^hello is/],
  ["/apps/hello/why?show=sync", /^hello is/],
  ["/apps/nobody/why", /^nobody$/],
  ["/check", /Check/],
  ["/applicationsets", /ApplicationSet/],
  ["/projects", /project/],
  ["/clusters", /cluster/],
  ["/repositories", /repository/i],
  ["/settings", /setting/],
  ["/nowhere-at-all", /./],
];

let running: Running;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  running = await startDemo();
  browser = await launch();
  context = await signedIn(browser, running);
  const page = await context.newPage();
  await page.goto(`${running.base}/fleet`);
  await headline(page, /^All 4 apps/);
  await page.close();
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

for (const theme of ["light", "dark"] as const)
  describe(`in the ${theme} theme`, () => {
    it.each(PAGES)("%s has no violation and no complaint", async (path, title) => {
      const page = await context.newPage();
      const complained = complaints(page);
      await page.emulateMedia({ colorScheme: theme });
      const answer = await page.goto(running.base + path);
      if (answer?.status() === 404) {
        expect(path).toBe("/nowhere-at-all");
        await page.close();
        return;
      }
      await headline(page, title);
      await page.waitForTimeout(700);
      expect(await axeViolations(page)).toEqual([]);
      expect(complained).toEqual([]);
      await page.close();
    });
  });

describe("on a phone", () => {
  it.each(PAGES.filter(([path]) => !path.startsWith("/nowhere")))(
    "%s does not scroll sideways",
    async (path, title) => {
      const page = await context.newPage();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(running.base + path);
      await headline(page, title);
      await page.waitForTimeout(300);
      expect(await scrollsSideways(page)).toBe(false);
      await page.close();
    },
  );
});

describe("who is not signed in", () => {
  it("is told so, led to the login, and told when the password is wrong", async () => {
    const stranger = await browser.newContext();
    const page = await stranger.newPage();
    await page.goto(`${running.base}/fleet`);
    await expect.poll(() => page.locator("main").textContent()).toContain("Not signed in");
    await page.click("text=Sign in");
    await headline(page, /^Sign in to Syncline$/);
    expect(await axeViolations(page)).toEqual([]);
    await page.fill("input[name=username]", "admin");
    await page.fill("input[name=password]", "not the password");
    await page.click("button[type=submit]");
    await expect.poll(() => page.locator("main").textContent()).toContain("name or password is wrong");
    await stranger.close();
  });
});
