// Reading from the server inside a component, and the time that passes.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Failure, follow, get } from "./api";
import { pause, untilSeen, whileSeen } from "./seen";

export interface Read<T> {
  data: T | undefined;
  failure: Failure | undefined;
  busy: boolean;
  at: number;
  again: () => void;
}

/**
 * Read a path, again when it changes or is asked for. What was read stays while the next answer is on its way, and where
 * none comes; `at` says when it was read.
 */
export function useRead<T>(path: string | null, every = 0): Read<T> {
  const [state, set] = useState<{ path: string | null; data?: T; failure?: Failure; busy: boolean; at: number }>({
    path,
    busy: true,
    at: 0,
  });
  const [turn, next] = useState(0);
  const again = useCallback(() => next((n) => n + 1), []);
  // a turn is a reason to read again
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    set((old) => (old.path === path ? { ...old, busy: true } : { path, busy: true, at: 0 }));
    get<T>(path, stop.signal)
      .then((data) => set({ path, data, busy: false, at: Date.now() }))
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        // What was deleted, or may no longer be seen, is not shown any longer; anything else may come back.
        set((old) =>
          failure.away ? { path, failure, busy: false, at: old.at } : { ...old, path, failure, busy: false },
        );
      });
    return () => stop.abort();
  }, [path, turn]);
  useEffect(() => {
    if (!every || path === null) return;
    const look = () => document.visibilityState === "visible" && again();
    const timer = setInterval(look, every);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [every, path, again]);
  const same = state.path === path;
  return {
    data: same ? state.data : undefined,
    failure: same ? state.failure : undefined,
    busy: state.busy || !same,
    at: same ? state.at : 0,
    again,
  };
}

/**
 * Follow a stream for as long as the component is there and somebody sees it; after an end it is tried again, later and
 * later, and at once when `link` changes.
 */
export function useStream<T>(path: string, link: number, take: (one: T) => void): void {
  const taking = useRef(take);
  taking.current = take;
  // another link is a reason to begin again: the stream before may be dead without a word
  useEffect(() => {
    const stop = new AbortController();
    void keepFollowing<T>(path, (one) => taking.current(one), stop.signal);
    return () => stop.abort();
  }, [path, link]);
}

async function keepFollowing<T>(path: string, take: (one: T) => void, signal: AbortSignal): Promise<void> {
  let wait = 1;
  while (!signal.aborted) {
    await untilSeen(signal);
    const seen = whileSeen(signal);
    const begun = Date.now();
    try {
      await follow<T>(path, take, seen.signal);
    } catch {
      // Why it ended is told by the fleet's own stream, which every page has.
      if (seen.signal.aborted) continue;
    } finally {
      seen.abort();
    }
    wait = Date.now() - begun > 10_000 ? 1 : Math.min(wait * 2, 30);
    await pause(wait * 1000, signal);
  }
}

/** The time now, which a component sees pass. */
export function useNow(every = 1000): number {
  const [now, set] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Syncline` : "Syncline";
  }, [title]);
}
