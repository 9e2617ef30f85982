// The transcript as rows of a virtual list. The rows of a message are made once and kept with it.

import type { Message, Part } from "../reduce.ts";

export type Row =
  /** `answered`: an answer follows, or is being made; a restore leaves the last prompt without one. */
  | { kind: "prompt"; key: string; message: Message; answered: boolean }
  | { kind: "part"; key: string; message: Message; part: Part }
  | { kind: "foot"; key: string; message: Message };

const made = new WeakMap<Message, readonly Row[]>();

export function rowsOf(messages: readonly Message[]): Row[] {
  return messages.flatMap((message, index) => rowsOfMessage(message, messages[index + 1]?.role === "assistant"));
}

function rowsOfMessage(message: Message, answered: boolean): readonly Row[] {
  const known = made.get(message);
  const first = known?.[0];
  if (known !== undefined && (first?.kind !== "prompt" || first.answered === answered)) return known;
  const rows: Row[] = [];
  if (message.role === "user") {
    rows.push({ kind: "prompt", key: message.id, message, answered });
  } else {
    message.parts.forEach((part, index) => rows.push({ kind: "part", key: `${message.id}:${index}`, message, part }));
    rows.push({ kind: "foot", key: `${message.id}:foot`, message });
  }
  made.set(message, rows);
  return rows;
}
