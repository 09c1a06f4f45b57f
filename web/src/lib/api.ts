// One way to the server: every answer is data, or a failure that says who failed, at what, and what to do.

export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string = "",
  ) {
    super(message);
  }

  get refused(): boolean {
    return this.status === 403;
  }

  get signedOut(): boolean {
    return this.status === 401;
  }

  /** Whether there is nothing to see: it does not exist, or not for whoever asks. */
  get away(): boolean {
    return [401, 403, 404].includes(this.status);
  }
}

async function failure(answer: Response): Promise<Failure> {
  try {
    const told = (await answer.json()) as { message?: string; error?: string; hint?: string };
    return new Failure(answer.status, told.message ?? told.error ?? answer.statusText, told.hint ?? "");
  } catch {
    return new Failure(answer.status, `the server answers ${answer.status} ${answer.statusText}`.trim());
  }
}

async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Failure(0, "the server does not answer", "is syncline still running?");
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, signal ? { signal } : {})).json()) as T;
}

export async function send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json", "X-Syncline-Request": "1" };
  const answer = await ask(path, { method, headers, body: JSON.stringify(body ?? {}) });
  return (await answer.json().catch(() => ({}))) as T;
}

/** Follow a stream of `{"result": …}` lines until it ends; throws when it breaks, or the signal aborts. */
export async function follow<T>(
  path: string,
  take: (one: T) => void,
  signal: AbortSignal,
  begun?: () => void,
): Promise<void> {
  const answer = await ask(path, { signal });
  begun?.();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Failure(0, "the server sent no stream");
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.trim()) continue;
      const told = JSON.parse(line) as { result?: T; error?: { message?: string; http_code?: number } };
      if (told.error) throw new Failure(told.error.http_code ?? 0, told.error.message ?? "the stream failed");
      if (told.result !== undefined) take(told.result);
    }
  }
}

export function query(params: Record<string, string | number | boolean | undefined | null | string[]>): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const one of value) found.append(name, one);
    else if (value !== undefined && value !== null && value !== "") found.set(name, String(value));
  }
  const text = found.toString();
  return text ? `?${text}` : "";
}

export interface AppName {
  name: string;
  namespace?: string;
}

/** The address of an Application's own words: `appPath({name}, "why")`. */
export function appPath(app: AppName, word = "", params: Parameters<typeof query>[0] = {}): string {
  const behind = word ? `/${word}` : "";
  return `/api/v1/applications/${encodeURIComponent(app.name)}${behind}${query({ ...params, appNamespace: app.namespace })}`;
}
