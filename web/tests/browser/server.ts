// Starts what the page is shown from: `syncline demo`, or a big fleet of a sandbox.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const BIN = process.env.SYNCLINE_BIN ?? join(ROOT, ".venv/bin");

export interface Running {
  /** Signs in, once. */
  link: string;
  base: string;
  folder: string;
  said: () => string;
  stop: () => Promise<void>;
}

async function started(command: string, args: string[], cwd: string, folder: string): Promise<Running> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const link = await new Promise<string>((done, fail) => {
    const late = setTimeout(() => fail(new Error(`no link after 170 s: ${said}`)), 170_000);
    const look = setInterval(() => {
      const found = /http:\S+\/login\/once\?code=\S+/.exec(said)?.[0];
      if (!found && child.exitCode === null) return;
      clearTimeout(late);
      clearInterval(look);
      if (found) done(found);
      else fail(new Error(`ended with ${child.exitCode}: ${said}`));
    }, 100);
  });
  const stop = () =>
    new Promise<void>((done) => {
      child.once("exit", () => {
        rmSync(folder, { recursive: true, force: true });
        done();
      });
      child.kill("SIGINT");
      setTimeout(() => child.kill("SIGKILL"), 8000).unref();
    });
  return { link, base: new URL(link).origin, folder, said: () => said, stop };
}

export function startDemo(): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "syncline-web-"));
  return started(join(BIN, "syncline"), ["demo", "--port", "0"], folder, folder);
}

export function startFleet(count: number): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "syncline-web-"));
  return started(join(BIN, "python"), ["-m", "bench.web.apps", String(count)], ROOT, folder);
}
