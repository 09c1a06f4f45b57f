// Measures the page in a real Chromium, given a link that signs in: first paint, bytes of the first screen, frames.
// Called by bench/web/page.py; prints one line of JSON.
import { chromium } from "playwright-core";

const [link, count] = process.argv.slice(2);
const base = new URL(link).origin;
const browser = await chromium.launch({ executablePath: process.env.SYNCLINE_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const page = await context.newPage();
await page.goto(link);
await page.waitForSelector(".row .nm");

// A first visit: nothing cached.
await context.clearCookies({ name: "none" });
const client = await context.newCDPSession(page);
await client.send("Network.enable");
await client.send("Network.setCacheDisabled", { cacheDisabled: true });
let bytes = 0;
let counting = true;
client.on("Network.loadingFinished", (told) => {
  if (counting) bytes += told.encodedDataLength;
});
await page.goto(`${base}/fleet?status=all&group=none`);
await page.waitForSelector(".row .nm");
counting = false;
const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
const rows = await page.evaluate(() => performance.now());
await page.waitForFunction((n) => document.querySelector(".vlist")?.getAttribute("aria-label") === `${Number(n).toLocaleString("en-GB")} apps`, count);
await page.waitForTimeout(1000);
const frames = await page.evaluate(async () => {
  const took = [];
  let last = performance.now();
  for (let i = 0; i < 300; i++) {
    scrollBy(0, 320);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    took.push(now - last);
    last = now;
  }
  return took.sort((a, b) => b - a);
});
console.log(JSON.stringify({ paint, rows, bytes, worst: frames[0], nearly_worst: frames[3] }));
await browser.close();
