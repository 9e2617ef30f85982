// What a tab and the shared worker send each other.

import type { Event } from "../api/schema.ts";
import type { Connection } from "./follower.ts";

export type ToWorker =
  | { kind: "follow"; project: string; after: number; lock: string }
  | { kind: "reconnect" }
  | { kind: "leave" };

export type FromWorker =
  | { kind: "events"; events: readonly Event[] }
  | { kind: "connection"; connection: Connection };
