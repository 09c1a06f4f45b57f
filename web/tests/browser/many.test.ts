// 8,000 apps: the first screen is quick, scrolling is smooth, and no row moves under the pointer.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolations, headline, launch, signedIn } from "./browser";
import { type Running, startFleet } from "./server";

const COUNT = Number(process.env.SYNCLINE_WEB_APPS ?? 8000);
let running: Running;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  running = await startFleet(COUNT);
  browser = await launch();
  context = await signedIn(browser, running);
  page = await context.newPage();
  await page.goto(`${running.base}/fleet?status=all&group=none`);
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

describe("a big fleet", () => {
  it("counts first and shows only what can be seen", async () => {
    await headline(
      page,
      new RegExp(`^${(COUNT / 20).toLocaleString("en-GB")} of ${COUNT.toLocaleString("en-GB")} apps need you`),
    );
    await expect
      .poll(() => page.locator(".vlist").getAttribute("aria-label"))
      .toBe(`${COUNT.toLocaleString("en-GB")} apps`);
    expect(await page.locator(".vitem").count()).toBeLessThan(150);
    expect(await axeViolations(page)).toEqual([]);
  });

  it("has its last row at the end, and finds one among all", async () => {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => page.locator(`.vitem[aria-posinset="${COUNT}"]`).count()).toBe(1);
    await page.keyboard.press("/");
    await page.keyboard.type(`-0${String(COUNT - 1)}`);
    await expect.poll(() => page.locator(".row .nm").count()).toBe(1);
  });
});
