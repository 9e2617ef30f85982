// One connection to the events of a project, for any number of listeners, each with its own place in the log.

import type { Event } from "../api/schema.ts";
import { EventParser } from "./sse.ts";

/** `outdated`: the server has another log than the one that was followed; everything has to be loaded anew. */
export type Connection = "connecting" | "open" | "lost" | "denied" | "outdated";

export interface Listener {
  /** The number of the last event that the listener has. */
  seq: number;
  onEvents(events: readonly Event[]): void;
  onConnection(connection: Connection): void;
}

/** The server sends a beat every 15 seconds; after this silence the connection is taken for dead. */
const SILENCE = 40_000;
const SHORTEST_PAUSE = 300;
const LONGEST_PAUSE = 5_000;
/** How many events are kept for a listener that comes later. */
const KEPT = 5_000;

export class Follower {
  private listeners = new Set<Listener>();
  private kept: Event[] = [];
  private seq = 0;
  private pause = SHORTEST_PAUSE;
  private running: AbortController | null = null;
  private connection: Connection = "connecting";
  private readonly address: (after: number) => string;

  constructor(address: (after: number) => string) {
    this.address = address;
  }

  add(listener: Listener): void {
    this.listeners.add(listener);
    const first = this.kept[0];
    const reached = this.running !== null && (first === undefined ? listener.seq >= this.seq : listener.seq >= first.seq - 1);
    if (reached) {
      listener.onConnection(this.connection);
      this.deliver(listener, this.kept);
      return;
    }
    // What it lacks is no longer kept: begin again further back. The others skip what they have.
    this.seq = listener.seq;
    this.kept = [];
    this.connection = "connecting";
    listener.onConnection(this.connection);
    this.reconnect();
  }

  remove(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size === 0) {
      this.running?.abort();
      this.running = null;
    }
  }

  /** Connect at once: the network or the server is back. */
  reconnect(): void {
    this.running?.abort();
    const controller = new AbortController();
    this.running = controller;
    void this.run(controller);
  }

  private async run(controller: AbortController): Promise<void> {
    while (!controller.signal.aborted) {
      await this.read(controller);
      if (controller.signal.aborted) return;
      if (this.connection !== "denied" && this.connection !== "outdated") this.say("lost");
      await new Promise((resolve) => setTimeout(resolve, this.pause));
      this.pause = Math.min(LONGEST_PAUSE, this.pause * 1.6);
    }
  }

  private async read(outer: AbortController): Promise<void> {
    const inner = new AbortController();
    const stop = (): void => inner.abort();
    outer.signal.addEventListener("abort", stop);
    let silence = setTimeout(stop, SILENCE);
    try {
      const answer = await fetch(this.address(this.seq), {
        headers: { accept: "text/event-stream" },
        cache: "no-store",
        signal: inner.signal,
      });
      if (answer.status === 401) this.say("denied");
      if (answer.status === 409) this.say("outdated");
      if (!answer.ok || answer.body === null) return;
      this.pause = SHORTEST_PAUSE;
      this.say("open");
      const parser = new EventParser();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || outer.signal.aborted) return;
        clearTimeout(silence);
        silence = setTimeout(stop, SILENCE);
        this.take(parser.push(value));
      }
    } catch {
      // The network, the server or the silence ended it; `run` tries again.
    } finally {
      clearTimeout(silence);
      outer.signal.removeEventListener("abort", stop);
      inner.abort();
    }
  }

  private take(events: readonly Event[]): void {
    const fresh = events.filter((event) => event.seq > this.seq);
    const last = fresh.at(-1);
    if (last === undefined) return;
    this.seq = last.seq;
    this.kept.push(...fresh);
    if (this.kept.length > KEPT) this.kept = this.kept.slice(-KEPT / 2);
    for (const listener of this.listeners) this.deliver(listener, fresh);
  }

  private deliver(listener: Listener, events: readonly Event[]): void {
    const missing = events.filter((event) => event.seq > listener.seq);
    const last = missing.at(-1);
    if (last === undefined) return;
    listener.seq = last.seq;
    listener.onEvents(missing);
  }

  private say(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    for (const listener of this.listeners) listener.onConnection(connection);
  }
}

export function eventsAddress(project: string): (after: number) => string {
  return (after) => `/api/projects/${encodeURIComponent(project)}/events?after=${after}`;
}
