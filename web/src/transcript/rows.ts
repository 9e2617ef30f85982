// The transcript as rows of a virtual list. The rows of a message are made once and kept with it.

import type { Message, Part } from "../reduce.ts";

export type Row =
  | { kind: "prompt"; key: string; message: Message }
  | { kind: "part"; key: string; message: Message; part: Part }
  | { kind: "foot"; key: string; message: Message };

const made = new WeakMap<Message, readonly Row[]>();

export function rowsOf(messages: readonly Message[]): Row[] {
  return messages.flatMap((message) => rowsOfMessage(message));
}

function rowsOfMessage(message: Message): readonly Row[] {
  const known = made.get(message);
  if (known !== undefined) return known;
  const rows: Row[] = [];
  if (message.role === "user") {
    rows.push({ kind: "prompt", key: message.id, message });
  } else {
    message.parts.forEach((part, index) => rows.push({ kind: "part", key: `${message.id}:${index}`, message, part }));
    rows.push({ kind: "foot", key: `${message.id}:foot`, message });
  }
  made.set(message, rows);
  return rows;
}
