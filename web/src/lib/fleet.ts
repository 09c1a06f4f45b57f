// The fleet as the page knows it: read once, then kept by a stream. Shared by the fleet, the causes and the palette.
import { useEffect, useState } from "preact/hooks";
import { Failure, follow, get, query } from "./api";
import { Rows } from "./rows";
import type { Fleet, FleetCause, Row } from "./types";

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
  turn: number;
}

interface Told {
  type: "ROW" | "GONE" | "DIAGNOSIS";
  row?: Row;
}

const FLEET = "/api/v1/syncline/fleet";
const FIRST = 200;
const SHOW_AFTER = 250;

function causesOf(head: FleetHead | undefined): string {
  return JSON.stringify(head?.causes.map((cause) => [cause.id, cause.rank, cause.apps]));
}

class FleetStore {
  state: FleetState = {
    head: undefined,
    rows: new Map(),
    complete: false,
    failure: undefined,
    lostAt: 0,
    nextAt: 0,
    readAt: 0,
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

  /** Read the fleet; returns the version from which the stream has to go on. */
  async read(): Promise<string> {
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

  private async readRows(): Promise<void> {
    const { rows, version } = await get<Fleet>(FLEET + query({ limit: 0 }));
    this.rows.takeAll(rows, version);
  }

  /**
   * Read causes and counts again. Rows arrive by the stream; only which cause holds them comes with the causes. No stream
   * tells what was deleted before it began: where the count differs, all rows are read again.
   */
  async readHead(): Promise<void> {
    const { rows: _none, ...head } = await get<Fleet>(FLEET + query({ rows: false, limit: 1 }));
    const before = causesOf(this.state.head);
    this.set({ head, readAt: Date.now() });
    if (causesOf(head) === before && head.total === this.rows.all.size) return;
    await this.readRows();
    this.set({ readAt: Date.now() });
  }

  private async keep(signal: AbortSignal): Promise<void> {
    let pause = 1;
    while (!signal.aborted) {
      try {
        const version = await this.read();
        this.set({ lostAt: 0, nextAt: 0 });
        pause = 1;
        await this.follow(version, signal);
      } catch (error) {
        if (signal.aborted) return;
        const failure = error instanceof Failure ? error : new Failure(0, String(error));
        this.set({ failure }, true);
        if (failure.refused || failure.signedOut) pause = 30;
      }
      this.set({ lostAt: this.state.lostAt || Date.now(), nextAt: Date.now() + pause * 1000 }, true);
      await new Promise<void>((done) => {
        const timer = setTimeout(done, pause * 1000);
        this.wake = () => {
          clearTimeout(timer);
          done();
        };
      });
      pause = Math.min(pause * 2, 30);
    }
  }

  private async follow(version: string, signal: AbortSignal): Promise<void> {
    const beat = setInterval(() => void this.readHead().catch(() => undefined), 5000);
    try {
      const since = query({ resourceVersion: version });
      await follow<Told>(`/api/v1/syncline/stream/fleet${since}`, (told) => this.take(told), signal);
    } finally {
      clearInterval(beat);
    }
  }

  private take(told: Told): void {
    if (told.type === "DIAGNOSIS") {
      void this.readHead().catch(() => undefined);
      return;
    }
    if (!told.row) return;
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

export const fleet = new FleetStore();

export function useFleet(): FleetState {
  const [, next] = useState(0);
  useEffect(() => fleet.listen(() => next((n) => n + 1)), []);
  return fleet.state;
}

export function causeById(state: FleetState, id: string): FleetCause | undefined {
  return state.head?.causes.find((cause) => cause.id === id);
}
