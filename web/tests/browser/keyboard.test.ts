// With the keyboard alone, and with links alone: what is shown is in the address.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headline, launch, signedIn } from "./browser";
import { type Running, startDemo } from "./server";

let running: Running;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  running = await startDemo();
  browser = await launch();
  context = await signedIn(browser, running);
  page = await context.newPage();
  await page.goto(`${running.base}/fleet`);
  await headline(page, /^All 4 apps/);
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
});

const path = () => new URL(page.url()).pathname;
const at = (wanted: string) => expect.poll(path, { timeout: 10_000 }).toBe(wanted);

// The address changes before the new page listens: a person presses again, and so does this.
const goTo = (keys: string, wanted: string) =>
  expect
    .poll(
      async () => {
        if (path() !== wanted) for (const key of keys) await page.keyboard.press(key);
        return path();
      },
      { timeout: 10_000, interval: 500 },
    )
    .toBe(wanted);

describe("the keyboard", () => {
  it("moves through rows, opens one, and walks its tabs", async () => {
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expect.poll(() => page.locator(".row.sel .nm").textContent()).toBe("hello");
    await page.keyboard.press("Enter");
    await at("/apps/hello/why");
    for (const [key, tab] of [
      ["d", "diff"],
      ["v", "waves"],
      ["e", "timeline"],
      ["o", "logs"],
      ["b", "manifest"],
      ["w", "why"],
    ] as const) {
      await goTo(key, `/apps/hello/${tab}`);
    }
  });

  it("opens the plan first, keeps the focus in the dialog, and gives it back", async () => {
    await page.keyboard.press("s");
    await page.waitForSelector("[role=dialog]", { timeout: 20_000 });
    await expect
      .poll(() => page.locator("[role=dialog]").getAttribute("aria-label"), { timeout: 20_000 })
      .toMatch(/^Sync hello to [0-9a-f]{7}: no object changes, (1 hook runs, )?nothing is deleted\.$/);
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => !!document.activeElement?.closest("[role=dialog]"))).toBe(true);
    }
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("[role=dialog]").count()).toBe(0);
  });

  it("finds an app, and goes by two keys", async () => {
    await page.keyboard.press("Control+k");
    await page.locator("[role=combobox]").fill("shop");
    await expect.poll(() => page.locator("[role=option][aria-selected=true]").textContent()).toContain("shop");
    await page.keyboard.press("Enter");
    await at("/apps/shop/why");
    await goTo("gc", "/causes");
    await goTo("gf", "/fleet");
  });

  it("is quiet while somebody types", async () => {
    // The page before has rows too: only the filter tells that this one listens.
    await page.waitForSelector("main input[placeholder^=Filter]");
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.type("shop?");
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("shop?");
    expect(await page.locator("[role=dialog]").count()).toBe(0);
    expect(await page.locator("main").textContent()).toContain("No app of 4 matches");
    await page.keyboard.press("Escape");
  });
});

describe("the address", () => {
  it("is the state: Back undoes a step, and a pasted link shows the same", async () => {
    await page.goto(`${running.base}/fleet?status=all&group=project`);
    await expect.poll(() => page.locator(".grp b").first().textContent()).toBe("default");
    await page.click(".seg a:has-text('none')");
    await expect.poll(() => page.locator(".vitem .grp").count()).toBe(0);
    await page.goBack();
    await expect.poll(() => page.locator(".vitem .grp").count()).toBe(1);
    const other = await context.newPage();
    await other.goto(page.url());
    await expect.poll(() => other.locator(".vitem .grp").count()).toBe(1);
    await other.close();
  });
});
