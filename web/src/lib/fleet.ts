// The fleet as the page knows it: read once, then kept by a stream. Shared by the fleet, the causes and the palette.
import { useEffect, useState } from "preact/hooks";
import { Failure, follow, get, query } from "./api";
import { Rows } from "./rows";
import { linked, pause, untilSeen, whileSeen } from "./seen";
import type { Fleet, FleetCause, FleetEvent, Row } from "./types";

export type FleetHead = Omit<Fleet, "rows">;

export interface FleetState {
  head: FleetHead | undefined;
  rows: ReadonlyMap<string, Row>;
  /** Whether every row is here; until then counts are the server's. */
  complete: boolean;
  failure: Failure | undefined;
  lostAt: number;
  nextAt: number;
  readAt: number;
  /** Counts the streams that were opened: whatever else follows the server begins again with each. */
  links: number;
  turn: number;
}

const FLEET = "/api/v1/syncline/fleet";
const FIRST = 200;
const SHOW_AFTER = 250;
const BEAT = 5000;
/** A server that takes longer than this to answer is not there: the stream alone would be silent all the same. */
const PATIENCE = 15_000;

class FleetStore {
  state: FleetState = {
    head: undefined,
    rows: new Map(),
    complete: false,
    failure: undefined,
    lostAt: 0,
    nextAt: 0,
    readAt: 0,
    links: 0,
    turn: 0,
  };
  private rows = new Rows();
  private readonly listeners = new Set<() => void>();
  private stop: AbortController | undefined;
  private telling = 0;
  private wake: () => void = () => undefined;

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.start();
    return () => {
      this.listeners.delete(listener);
    };
  }

  start(): void {
    if (this.stop) return;
    this.stop = new AbortController();
    void this.keep(this.stop.signal);
  }

  retry(): void {
    this.wake();
  }

  /**
   * Read the fleet; returns the version from which the stream has to go on. The first rows come first, but once all were
   * there they are replaced by all: nobody sees a list shrink because a stream was lost.
   */
  async read(): Promise<string> {
    if (this.state.complete) return this.readAll();
    const { rows, ...head } = await get<Fleet>(FLEET + query({ limit: FIRST, sort: "health" }));
    this.rows = new Rows();
    for (const row of rows) this.rows.take(row);
    this.set({ head, complete: rows.length >= head.total, failure: undefined, readAt: Date.now() }, true);
    if (rows.length < head.total) {
      await this.readRows();
      this.set({ complete: true, readAt: Date.now() }, true);
    }
    return head.version;
  }

  private async readAll(): Promise<string> {
    const { rows, ...head } = await get<Fleet>(FLEET + query({ limit: 0 }));
    this.rows = new Rows();
    for (const row of rows) this.rows.take(row);
    this.set({ head, failure: undefined, readAt: Date.now() }, true);
    return head.version;
  }

  private async readRows(): Promise<void> {
    const { rows, version } = await get<Fleet>(FLEET + query({ limit: 0 }));
    this.rows.takeAll(rows, version);
  }

  /**
   * Read causes and counts again. Rows arrive by the stream; only which cause holds them comes with the causes. No stream
   * tells what was deleted before it began: where the count differs, all rows are read again.
   */
  async readHead(signal?: AbortSignal): Promise<void> {
    const { rows: _none, ...head } = await get<Fleet>(FLEET + query({ rows: false, limit: 1 }), signal);
    if (head.told !== this.state.head?.told || head.total !== this.rows.all.size) await this.readRows();
    this.set({ head, readAt: Date.now() });
  }

  private async keep(signal: AbortSignal): Promise<void> {
    let wait = 1;
    while (!signal.aborted) {
      await untilSeen(signal);
      const seen = whileSeen(signal);
      try {
        const version = await this.read();
        this.set({ lostAt: 0, nextAt: 0, links: this.state.links + 1 });
        wait = 1;
        await this.follow(version, seen.signal);
      } catch (error) {
        if (signal.aborted) return;
        if (seen.signal.aborted) continue;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        this.set({ failure }, true);
        if (failure.refused || failure.signedOut) wait = 30;
      } finally {
        seen.abort();
      }
      this.set({ lostAt: this.state.lostAt || Date.now(), nextAt: Date.now() + wait * 1000 }, true);
      const waiting = linked(signal);
      this.wake = () => waiting.abort();
      await pause(wait * 1000, waiting.signal);
      wait = Math.min(wait * 2, 30);
    }
  }

  /** Follow the stream for as long as the server also answers. */
  private async follow(version: string, signal: AbortSignal): Promise<void> {
    const stream = linked(signal);
    let lost: unknown;
    const beating = this.beat(stream.signal).catch((error: unknown) => {
      lost = error;
      stream.abort();
    });
    try {
      const since = query({ resourceVersion: version });
      await follow<FleetEvent>(`/api/v1/syncline/stream/fleet${since}`, (told) => this.take(told), stream.signal);
    } catch (error) {
      throw lost ?? error;
    } finally {
      stream.abort();
      await beating;
    }
  }

  private async beat(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(BEAT, signal);
      if (signal.aborted) return;
      const asking = linked(signal);
      const late = setTimeout(() => asking.abort(), PATIENCE);
      try {
        await this.readHead(asking.signal);
      } catch (error) {
        if (signal.aborted) return;
        throw asking.signal.aborted ? new Failure(0, "the server does not answer") : error;
      } finally {
        clearTimeout(late);
      }
    }
  }

  private take(told: FleetEvent): void {
    if (told.type === "DIAGNOSIS") {
      void this.readHead().catch(() => undefined);
      return;
    }
    if (told.type === "GONE") this.rows.drop(told.row);
    else this.rows.take(told.row);
    this.set({ readAt: Date.now() });
  }

  private set(changes: Partial<FleetState>, now = false): void {
    this.state = { ...this.state, ...changes, rows: this.rows.all, turn: this.state.turn + 1 };
    const tell = () => {
      this.telling = 0;
      for (const listener of this.listeners) listener();
    };
    if (now) {
      clearTimeout(this.telling);
      tell();
    } else this.telling ||= window.setTimeout(tell, SHOW_AFTER);
  }
}

/** So long a lost stream may be back before anybody needs to know that what is shown is old. */
const FORGIVEN = 15_000;

/** Whether nobody can tell how things are now. */
export function isStale(state: FleetState, now: number): boolean {
  return !!state.head?.trouble || (state.lostAt > 0 && now - state.lostAt > FORGIVEN);
}

export const fleet = new FleetStore();

export function useFleet(): FleetState {
  const [, next] = useState(0);
  useEffect(() => fleet.listen(() => next((n) => n + 1)), []);
  return fleet.state;
}

export function causeById(state: FleetState, id: string): FleetCause | undefined {
  return state.head?.causes.find((cause) => cause.id === id);
}
