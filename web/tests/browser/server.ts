// Starts what the page is shown from: `syncline demo`, or a big fleet of a sandbox.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

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

async function started(command: string, args: string[], cwd: string, folder: string, patience = 170): Promise<Running> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  });
  // Nothing is left behind, even by a test that was given up.
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.removeListener("exit", end));
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const link = await new Promise<string>((done, fail) => {
    const late = setTimeout(() => fail(new Error(`no link after ${patience} s: ${said}`)), patience * 1000);
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
      if (child.exitCode !== null || child.signalCode !== null) return done();
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

/** A story of many broken apps; it says its link once everything is delivered. */
export function startStory(name: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "syncline-web-"));
  return started(join(BIN, "syncline"), ["demo", name, "--port", "0"], folder, folder, 500);
}

/** The repository of a demo, changed as a person does: by commits on branches. */
export class Repository {
  readonly folder: string;
  readonly kubeconfig: string;

  constructor(running: Running, data = "syncline-demo") {
    this.folder = join(running.folder, data, "repo");
    this.kubeconfig = join(running.folder, data, "kubeconfig");
  }

  git(...args: string[]): string {
    const who = ["-c", "user.name=Dana", "-c", "user.email=dana@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...who, ...args], { cwd: this.folder, encoding: "utf8" }).trim();
  }

  /** Write files; null deletes one. */
  commit(message: string, files: Record<string, string | null>): string {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      if (text === null) rmSync(path);
      else writeFileSync(path, text);
    }
    this.git("add", "--all");
    this.git("commit", "--quiet", "-m", message);
    return this.git("rev-parse", "HEAD");
  }

  /** Run a script that the program wrote for people. */
  shell(script: string): void {
    execFileSync("sh", [script], { env: { ...process.env, KUBECONFIG: this.kubeconfig }, stdio: "ignore" });
  }

  kubectl(...args: string[]): string {
    return this.run(args);
  }

  apply(object: object): void {
    this.run(["apply", "-f", "-"], JSON.stringify(object));
  }

  private run(args: string[], input = ""): string {
    const env = { ...process.env, KUBECONFIG: this.kubeconfig };
    return execFileSync(join(BIN, "kubectl"), args, { env, encoding: "utf8", input });
  }
}

/** What a password is stored as. */
export function hashed(password: string): string {
  const program = "import bcrypt, sys; print(bcrypt.hashpw(sys.argv[1].encode(), bcrypt.gensalt(4)).decode())";
  return execFileSync(join(BIN, "python"), ["-c", program, password], { encoding: "utf8" }).trim();
}

export function startFleet(count: number): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "syncline-web-"));
  return started(join(BIN, "python"), ["-m", "bench.web.apps", String(count)], ROOT, folder);
}
