// Whether anybody sees the page. A browser shares six connections to a server among all its tabs, and a stream holds one
// for as long as it runs: a tab in the background gives its own back, or the seventh request of all tabs waits forever.

const GRACE = 5000;

/** A controller that aborts with a signal, and can be aborted alone. */
export function linked(signal: AbortSignal): AbortController {
  const own = new AbortController();
  if (signal.aborted) own.abort();
  else signal.addEventListener("abort", () => own.abort(), { once: true, signal: own.signal });
  return own;
}

/** Resolves when somebody sees the page, or when a signal aborts. */
export function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      if (document.visibilityState === "hidden" && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      done();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}

/** A controller that aborts with a signal, or once nobody has seen the page for a moment; abort it when done. */
export function whileSeen(signal: AbortSignal): AbortController {
  const own = linked(signal);
  let timer = 0;
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === "hidden") timer = window.setTimeout(() => own.abort(), GRACE);
  };
  document.addEventListener("visibilitychange", look);
  own.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  });
  look();
  return own;
}

/** Resolves after a time, or when a signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const timer = setTimeout(end, milliseconds);
    function end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    }
    signal.addEventListener("abort", end);
  });
}
