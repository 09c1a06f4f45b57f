// Reading from the server inside a component, and the time that passes.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Failure, follow, get } from "./api";

export interface Read<T> {
  data: T | undefined;
  failure: Failure | undefined;
  busy: boolean;
  at: number;
  again: () => void;
}

/** Read a path, again when it changes or is asked for. What was read stays while the next answer is on its way. */
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
        set((old) => ({ ...old, path, failure, busy: false }));
      });
    return () => stop.abort();
  }, [path, turn]);
  useEffect(() => {
    if (!every || path === null) return;
    const timer = setInterval(() => document.visibilityState === "visible" && again(), every);
    return () => clearInterval(timer);
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

export interface StreamState {
  /** Since when the stream is away, and when it is tried again; undefined while it runs. */
  lostAt?: number;
  nextAt?: number;
}

/** Follow a stream for as long as the component is there; after an end it is tried again, later and later. */
export function useStream<T>(
  path: string | null,
  take: (one: T) => void,
  back?: () => void,
): StreamState & { retry: () => void } {
  const [state, set] = useState<StreamState>({});
  const taking = useRef(take);
  taking.current = take;
  const returning = useRef(back);
  returning.current = back;
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    const run = async () => {
      let pause = 1;
      let lostAt = 0;
      while (!stop.signal.aborted) {
        const begun = Date.now();
        const running = setTimeout(() => {
          if (lostAt) {
            lostAt = 0;
            set({});
            returning.current?.();
          }
        }, 400);
        try {
          await follow<T>(path, (one) => taking.current(one), stop.signal);
        } catch (error) {
          if (stop.signal.aborted) return;
          if (error instanceof Failure && (error.refused || error.signedOut)) return;
        } finally {
          clearTimeout(running);
        }
        if (stop.signal.aborted) return;
        pause = Date.now() - begun > 10_000 ? 1 : Math.min(pause * 2, 30);
        lostAt ||= Date.now();
        set({ lostAt, nextAt: Date.now() + pause * 1000 });
        await new Promise<void>((done) => {
          const timer = setTimeout(done, pause * 1000);
          wake.current = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
    };
    void run();
    return () => {
      stop.abort();
      wake.current();
    };
  }, [path]);
  return { ...state, retry: () => wake.current() };
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
