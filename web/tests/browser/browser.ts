// A real Chromium, signed in; collects what the page complains about.
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { vi } from "vitest";
import type { Running } from "./server";

const CHROMIUM = process.env.SYNCLINE_CHROMIUM ?? "/usr/bin/chromium";

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

/** A context that is signed in, by the one link that signs in once. */
export async function signedIn(browser: Browser, running: Running): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(running.link);
  await page.close();
  return context;
}

/** What the browser complains about; a page has to end with none of it. */
export function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on("pageerror", (error) => found.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/404|401|Failed to load resource/.test(message.text()))
      found.push(message.text());
  });
  return found;
}

export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return found.violations.map(
    (one) =>
      `${one.id}: ${one.nodes
        .map((node) => `${node.target.join(" ")} ${node.failureSummary?.split("\n")[1]?.trim() ?? ""}`)
        .slice(0, 3)
        .join(" | ")}`,
  );
}

export async function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);
}

/** Wait until the first heading says something. */
export async function headline(page: Page, text: RegExp, timeout = 60_000): Promise<void> {
  const look = async () => {
    const said = await page.locator("h1").first().textContent();
    if (!said || !text.test(said)) throw new Error(`the headline is “${said}”, not ${text}`);
  };
  await vi.waitFor(look, { timeout, interval: 200 });
}
