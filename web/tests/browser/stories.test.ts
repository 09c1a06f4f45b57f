// The page before each of the stories that come with Syncline: what is wrong, why, and how it gets better.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { axeViolations, complaints, headline, launch, scrollsSideways, signedIn } from "./browser";
import { Repository, type Running, startStory } from "./server";

// A story delivers hundreds of objects before there is anything to see; on a busy machine that takes minutes.
vi.setConfig({ testTimeout: 600_000 });
const SOON = { timeout: 120_000, interval: 300 };
const IN_TROUBLE = /^\d+ of \d+ apps need you\. \d+ causes?\.$/;
const STORIES = ["homelab", "kubeflow", "self-healing", "private-ai", "ameide"];
const started = new Map<string, Promise<Running>>();
let browser: Browser;

/** The next story is brought up while this one is looked at: there are two cores. */
function begin(name: string | undefined): Promise<Running> | undefined {
  if (!name) return undefined;
  const running = started.get(name) ?? startStory(name);
  // Who waits for it is told when it fails; before that nobody is.
  running.catch(() => {});
  started.set(name, running);
  return running;
}

beforeAll(async () => {
  begin(STORIES[0]);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  for (const running of started.values())
    await running.then(
      (one) => one.stop(),
      () => {},
    );
});

interface Scene {
  page: Page;
  running: Running;
  context: BrowserContext;
  text: (selector: string) => Promise<string>;
}

async function within(name: string, expected: RegExp, act: (scene: Scene) => Promise<void>): Promise<void> {
  const running = await begin(name)!;
  begin(STORIES[STORIES.indexOf(name) + 1]);
  const context = await signedIn(browser, running);
  const page = await context.newPage();
  const complained = complaints(page);
  const text = async (selector: string) => (await page.locator(selector).allTextContents()).join("\n");
  try {
    await page.goto(`${running.base}/fleet`);
    // The causes come once the whole fleet was read and reasoned about.
    await headline(page, expected, 240_000);
    await countsAsTheTerminalDoes({ page, running, context, text });
    expect(await axeViolations(page)).toEqual([]);
    await act({ page, running, context, text });
    expect(complained).toEqual([]);
  } finally {
    await context.close();
    started.delete(name);
    await running.stop();
  }
}

/** The terminal says `85 of 200 apps OK` at last, after how far it is on the way: the page has to count the same. */
async function countsAsTheTerminalDoes({ running, text }: Scene): Promise<void> {
  const [, good, all] = [...running.said().matchAll(/(\d+) of (\d+) apps OK/g)].at(-1) ?? [];
  const rail = await text(".rail li");
  expect(rail).toContain(`OK${good}`);
  expect(rail).toContain(`All apps${all}`);
}

describe("homelab", () => {
  it("looks well, and the page says so", async () => {
    await within("homelab", /^All \d+ apps are Synced and Healthy\.$/, async ({ page, text }) => {
      await expect.poll(() => text("h2"), SOON).toContain("Last deliveries");
      expect(await page.locator(".cause:not(.hd)").count()).toBe(0);
    });
  });
});

describe("kubeflow", () => {
  it("stands still in its waves, at one line of one file", async () => {
    await within("kubeflow", IN_TROUBLE, async ({ page, running, text }) => {
      await page.goto(`${running.base}/apps/kubeflow/waves`);
      await expect.poll(() => text(".wv.cur"), SOON).toMatch(/wave 0[\s\S]*kubeflow-common-services/);
      expect(await page.locator(".wv.later").count()).toBeGreaterThan(3);
      // Those that wait are counted, and there for who asks.
      const before = await page.locator(".wt.later").count();
      await page.click(".more a:has-text('Show')");
      await expect.poll(() => page.locator(".wt.later").count()).toBeGreaterThan(before);
      await page.goto(`${running.base}/apps/kubeflow-common-services/why`);
      await expect.poll(() => text(".hop.first"), SOON).toContain("common/user-namespace/base/kustomization.yaml:4");
    });
  });
});

describe("self-healing", () => {
  it("waits for a hook that may not see its image, and its log says so", async () => {
    await within("self-healing", IN_TROUBLE, async ({ page, running, text }) => {
      await page.goto(`${running.base}/apps/validation/waves`);
      await expect.poll(() => text(".wv.cur"), SOON).toContain("wait-for-notebook-validator-image");
      await expect.poll(() => text("[role=log]"), SOON).toMatch(/imagestreamtags.*is forbidden/);
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await scrollsSideways(page)).toBe(false);
    });
  });
});

describe("private-ai", () => {
  it("tells who wrote a field that Git never had, and gets better with a repair", async () => {
    await within("private-ai", IN_TROUBLE, async ({ page, running, text }) => {
      await page.goto(`${running.base}/apps/stage00-minio/diff`);
      await expect
        .poll(() => page.locator(".drow:not(.hd)").allTextContents(), SOON)
        .toContainEqual(expect.stringMatching(/^host.*openshift-apiserver/));
      await page.click(".btn:has-text('Make ignore rule')");
      await expect.poll(() => text(".rule .frame"), SOON).toContain("/spec/host");
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(`${running.base}/fleet`);
      await headline(page, IN_TROUBLE);
      const rail = ".rail li:has-text('OK') .n";
      const before = Number(await text(rail));
      const repository = new Repository(running, "syncline-demo-private-ai");
      // By our rules the first repair alone brings no app back; the second, a rule for what OpenShift fills in, does.
      for (const step of ["1.sh", "2.sh"]) repository.shell(join(repository.folder, "..", "repairs", step));
      await expect.poll(async () => Number(await text(rail)), { ...SOON, timeout: 240_000 }).toBeGreaterThan(before);
    });
  });
});

describe("ameide", () => {
  it("is told in five causes, each app ends in one of them, and the patch of one applies", async () => {
    await within("ameide", /^\d+ of 200 apps need you\. 5 causes\.$/, async ({ page, running, context, text }) => {
      expect(await page.locator(".stair").count()).toBe(6);
      await page.goto(`${running.base}/fleet?group=none`);
      await expect.poll(() => page.locator(".vitem .row").count(), SOON).toBeGreaterThan(20);
      for (const row of await page.locator(".vitem .row .wh").allTextContents()) expect(row).toMatch(/\S.*#\d$/);
      await page.locator(".row:has-text('waits for Secret/')").first().click();
      await expect.poll(() => text(".hop.first"), SOON).toContain("ClusterSecretStore/ameide-vault");
      await expect.poll(() => text(".facts"), SOON).toMatch(/cause #1, shared with \d+ other apps/);
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await scrollsSideways(page)).toBe(false);
      // A word must not be squeezed into a column of letters.
      expect(await page.evaluate(() => document.querySelector(".hop.first")!.clientHeight)).toBeLessThan(700);
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${running.base}/causes/2`);
      await expect.poll(() => text("h1"), SOON).toContain("tolerations: []");
      expect(await scrollsSideways(page)).toBe(false);
      await page.click(".acts .btn:has-text('Copy patch')");
      const patch = await page.evaluate(() => navigator.clipboard.readText());
      const repository = new Repository(running, "syncline-demo-ameide");
      execFileSync("git", ["apply", "--check", "-"], { cwd: repository.folder, input: patch });
      expect(patch.match(/^--- a\//gm)).toHaveLength(11);
    });
  });
});
