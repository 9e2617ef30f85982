// Follow the events of a project from this tab: by the shared worker, or alone where there is none.

import { newId } from "../ui/id.ts";
import { eventsAddress, Follower, type Listener } from "./follower.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

export interface Following {
  reconnect(): void;
  stop(): void;
}

export function follow(project: string, listener: Listener): Following {
  try {
    return followShared(project, listener);
  } catch {
    // No SharedWorker (Chrome on Android, private windows): a connection of this tab's own.
    return followAlone(project, listener);
  }
}

function followShared(project: string, listener: Listener): Following {
  const worker = new SharedWorker(new URL("./shared_worker.ts", import.meta.url), {
    type: "module",
    name: "holdfast-events",
  });
  const port = worker.port;
  const send = (message: ToWorker): void => port.postMessage(message);
  let alone: Following | null = null;
  worker.onerror = () => {
    alone ??= followAlone(project, listener);
  };
  port.onmessage = (received: MessageEvent<FromWorker>) => {
    if (alone !== null) return;
    const message = received.data;
    if (message.kind === "connection") listener.onConnection(message.connection);
    else {
      listener.seq = message.events.at(-1)?.seq ?? listener.seq;
      listener.onEvents(message.events);
    }
  };
  const lock = `holdfast-tab-${newId()}`;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Without locks (plain HTTP to another machine) the tab says that it leaves.
  window.addEventListener("pagehide", () => send({ kind: "leave" }));
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) begin();
  });
  const begin = (): void => send({ kind: "follow", project, after: listener.seq, lock });
  if (navigator.locks === undefined) begin();
  else void navigator.locks.request(lock, () => (begin(), held));
  return {
    reconnect: () => (alone === null ? send({ kind: "reconnect" }) : alone.reconnect()),
    stop: () => {
      alone?.stop();
      send({ kind: "leave" });
      release();
    },
  };
}

function followAlone(project: string, listener: Listener): Following {
  const follower = new Follower(eventsAddress(project));
  follower.add(listener);
  return { reconnect: () => follower.reconnect(), stop: () => follower.remove(listener) };
}
