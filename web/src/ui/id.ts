// Names that no other tab has.

/** Return a new name. Not `crypto.randomUUID`: over plain HTTP to another machine there is none. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
