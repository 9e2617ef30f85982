// All tabs of a browser share one connection to the events of a project: a browser allows six to a host.

import { eventsAddress, Follower, type Listener } from "./follower.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

const followers = new Map<string, Follower>();

declare const self: { onconnect: (event: MessageEvent) => void };

self.onconnect = (event) => {
  const port = event.ports[0];
  if (port === undefined) return;
  let leave = (): void => {};
  const send = (message: FromWorker): void => port.postMessage(message);
  port.onmessage = (received: MessageEvent<ToWorker>) => {
    const message = received.data;
    switch (message.kind) {
      case "follow": {
        leave();
        leave = follow(message.project, message.after, send);
        // The tab holds this lock as long as it lives: when we get it, the tab is gone.
        const gone = leave;
        void navigator.locks?.request(message.lock, () => gone());
        break;
      }
      case "reconnect":
        for (const follower of followers.values()) follower.reconnect();
        break;
      case "leave":
        leave();
    }
  };
};

function follow(project: string, after: number, send: (message: FromWorker) => void): () => void {
  const follower = followers.get(project) ?? new Follower(eventsAddress(project));
  followers.set(project, follower);
  const listener: Listener = {
    seq: after,
    onEvents: (events) => send({ kind: "events", events }),
    onConnection: (connection) => send({ kind: "connection", connection }),
  };
  follower.add(listener);
  return () => follower.remove(listener);
}
