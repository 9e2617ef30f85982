// The fold of recorded logs: real turns of the scripted model and agent, as `holdfast events --json` prints them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import type { Event, Message as StoredMessage, MessagePage, Session } from "../src/api/schema.ts";
import { EMPTY, type Message, reduce, reduceAll, type State, transcriptOf, withOlder, withTranscript } from "../src/reduce.ts";
import { EventParser } from "../src/stream/sse.ts";

const LOGS = new URL("./logs/", import.meta.url);

function readLog(name: string): Event[] {
  const lines = readFileSync(new URL(name, LOGS), "utf-8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Event);
}

const logs = readdirSync(LOGS).filter((name) => name.endsWith(".jsonl"));

function opened(events: readonly Event[]): State {
  let state = EMPTY;
  for (const session of new Set(events.map((event) => event.session))) {
    if (session !== null) state = withTranscript(state, session, emptyTranscript(), []);
  }
  return state;
}

function emptyTranscript() {
  return { seq: 0, messages: [], older: null, queue: [], stale: false, restored: null };
}

/** A page as the server makes it: the events of each turn, without the pieces that a later `said` repeats. */
function pageOf(events: readonly Event[], session: string): MessagePage {
  const messages: StoredMessage[] = [];
  let seq = 0;
  for (const event of events) {
    seq = event.seq;
    if (event.session !== session) continue;
    if (event.kind === "turn_started") {
      const common = { seq: event.seq, state: "done", turn_id: event.turn, checkpoint_id: null, created_at: event.at };
      if (event.prompt_message_id !== null) {
        messages.push({ ...common, id: event.prompt_message_id, role: "user", text: event.prompt, events: [] });
      }
      messages.push({ ...common, id: event.message_id, role: "assistant", text: "", events: settledEvents(events, event.turn) });
    }
    if (event.kind === "checkpoint_taken") {
      for (const message of messages) if (message.turn_id === event.turn) message.checkpoint_id = event.checkpoint_id;
    }
    if (event.kind === "restored") {
      for (const id of event.message_ids_deleted) {
        messages.splice(messages.findIndex((message) => message.id === id), 1);
      }
    }
  }
  return { messages: messages.reverse(), before: null, queue: [], seq };
}

function settledEvents(events: readonly Event[], turn: string | null): Event[] {
  const own = events.filter((event) => event.turn === turn);
  const lastSaid = own.findLastIndex((event) => event.kind === "said");
  return own.filter((event, index) => !((event.kind === "text" || event.kind === "reasoning") && index < lastSaid));
}

for (const name of logs) {
  const events = readLog(name);

  test(`${name}: the numbers rise`, () => {
    assert.ok(events.length > 20);
    events.reduce((before, event) => (assert.ok(event.seq > before), event.seq), 0);
  });

  test(`${name}: any chunking gives the same state`, () => {
    const whole = reduceAll(opened(events), events);
    for (const size of [1, 2, 3, 7, 50]) {
      let state = opened(events);
      for (let start = 0; start < events.length; start += size) state = reduceAll(state, events.slice(start, start + size));
      assert.deepEqual(state, whole);
    }
  });

  test(`${name}: any chunking of the bytes gives the same events`, () => {
    const stream = events.map((event) => `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`).join(": beat\n\n");
    for (const size of [1, 5, 64, 4096, stream.length]) {
      const parser = new EventParser();
      const found: Event[] = [];
      for (let start = 0; start < stream.length; start += size) found.push(...parser.push(stream.slice(start, start + size)));
      assert.deepEqual(found, events);
    }
  });

  test(`${name}: an event that comes twice changes nothing`, () => {
    const whole = reduceAll(opened(events), events);
    let state = opened(events);
    for (const event of events) state = reduce(reduce(state, event), event);
    assert.deepEqual(state, whole);
  });

  test(`${name}: what a reload shows is what the stream showed`, () => {
    const streamed = reduceAll(opened(events), events);
    for (const [session, transcript] of Object.entries(streamed.transcripts)) {
      const reloaded = transcriptOf(pageOf(events, session));
      assert.deepEqual(reloaded.messages, transcript.messages);
    }
  });

  test(`${name}: a reload in mid-stream, at every event, ends in the same state`, () => {
    const streamed = reduceAll(opened(events), events);
    for (let cut = 1; cut < events.length; cut += 1) {
      const session = events[cut]?.session;
      if (session === null || session === undefined) continue;
      const before = events.slice(0, cut);
      const page = transcriptOf(pageOf(before, session));
      const state = reduceAll({ ...withTranscript(EMPTY, session, page, []), seq: page.seq }, events.slice(cut));
      assert.deepEqual(state.transcripts[session]?.messages, streamed.transcripts[session]?.messages);
    }
  });

  test(`${name}: events that come while a page is loaded are not lost`, () => {
    const streamed = reduceAll(opened(events), events);
    const session = events.findLast((event) => event.session !== null)?.session ?? "";
    const half = Math.floor(events.length / 2);
    const page = transcriptOf(pageOf(events.slice(0, half), session));
    const state = withTranscript({ ...EMPTY, seq: events.at(-1)?.seq ?? 0 }, session, page, events.slice(half - 3));
    assert.deepEqual(state.transcripts[session]?.messages, streamed.transcripts[session]?.messages);
  });
}

test("a turn has its text, its calls with what they did, and its end", () => {
  const events = readLog("sample.jsonl");
  const state = reduceAll(opened(events), events);
  const answers = Object.values(state.transcripts).flatMap((each) => each.messages).filter((each) => each.role === "assistant");
  const kinds = new Set(answers.flatMap((answer) => answer.parts.map((part) => part.kind)));
  for (const kind of ["said", "call", "agent_call", "sentinel", "edits"] as const) assert.ok(kinds.has(kind), kind);
  assert.ok(answers.every((answer) => answer.ended !== null));
  const calls = answers.flatMap((answer) => answer.parts.flatMap((part) => (part.kind === "call" ? [part] : [])));
  assert.ok(calls.some((part) => part.landed.length === 1 && part.landed[0]?.diff.includes("sum(row)")));
  assert.ok(calls.some((part) => part.refused.length === 1));
  assert.ok(calls.some((part) => part.commands[0]?.exit_code === 0));
});

test("an older page is put before the messages, each message once", () => {
  const newer = { ...emptyTranscript(), messages: [message("c"), message("d")], older: 3 };
  const page: MessagePage = { messages: ["c", "b", "a"].map(stored), before: null, queue: [], seq: 9 };
  const after = withOlder(newer, page);
  assert.deepEqual(after.messages.map((each) => each.id), ["a", "b", "c", "d"]);
  assert.equal(after.older, null);
});

test("a queued message is listed, edited in its place, and leaves when its turn begins", () => {
  const session = "s";
  let state = withTranscript(EMPTY, session, emptyTranscript(), []);
  const queued = (seq: number, id: string, text: string, kind: "waiting" | "removed" | "refused" = "waiting"): Event => ({
    ...head(seq, session), kind: "message_queued", message_id: id, turn_id: `t-${id}`, state: kind, text, attachments: [], client_id: null, why: "",
  });
  state = reduceAll(state, [queued(1, "a", "one"), queued(2, "b", "two"), queued(3, "a", "one, edited")]);
  assert.deepEqual(state.transcripts[session]?.queue.map((each) => each.text), ["one, edited", "two"]);
  state = reduce(state, queued(4, "b", "", "removed"));
  assert.deepEqual(state.transcripts[session]?.queue.map((each) => each.id), ["a"]);
  state = reduce(state, { ...head(5, session, "t-a"), kind: "turn_started", model: "m", prompt: "one, edited", continued: false, agent: "holdfast", chat_id: "c", prompt_message_id: "a", message_id: "x", sandbox: "none", root: "" } as Event);
  assert.deepEqual(state.transcripts[session]?.queue, []);
});

test("of two answers to one question the first counts, and it no longer waits", () => {
  const asked: Event = { ...head(1, "s", "t"), kind: "approval_asked", what: "command", subject: "make", why: "", approval_id: "q", options: [] };
  const given = (seq: number, answer: "once" | "deny"): Event => ({ ...head(seq, "s", "t"), kind: "approval_given", subject: "make", answer, approval_id: "q", reason: "" });
  const begun = { ...head(0, "s", "t"), seq: 1, kind: "turn_started", model: "m", prompt: "p", continued: false, agent: "holdfast", chat_id: "c", prompt_message_id: "a", message_id: "x", sandbox: "none", root: "" } as Event;
  let state = withTranscript(EMPTY, "s", emptyTranscript(), []);
  state = reduceAll(state, [begun, { ...asked, seq: 2 }]);
  assert.equal(state.approvals.length, 1);
  state = reduceAll(state, [given(3, "once"), given(4, "deny")]);
  assert.equal(state.approvals.length, 0);
  const part = state.transcripts["s"]?.messages.at(-1)?.parts[0];
  assert.equal(part?.kind === "approval" && part.given?.answer, "once");
});

test("a session that is deleted leaves the list", () => {
  const session = { id: "s", title: "x" } as Session;
  const state = reduce({ ...EMPTY, sessions: { s: session } }, { ...head(1, null), kind: "session_deleted", session_id: "s", chat_ids: [], turn_ids: [], change_ids: [] });
  assert.deepEqual(state.sessions, {});
});

test("a kind that this page does not know changes nothing but the number", () => {
  const state = withTranscript(EMPTY, "s", emptyTranscript(), []);
  const after = reduce(state, { ...head(1, "s", "t"), kind: "of_tomorrow" } as unknown as Event);
  assert.equal(after.seq, 1);
  assert.deepEqual(after.transcripts["s"]?.messages, []);
});

function head(seq: number, session: string | null, turn: string | null = null) {
  return { v: 1, seq, at: "2026-11-17T00:00:00+00:00", session, turn };
}

function stored(id: string): StoredMessage {
  return { id, seq: 1, role: "user", state: "done", text: id, turn_id: null, checkpoint_id: null, created_at: "", events: [] };
}

function message(id: string): Message {
  return transcriptOf({ messages: [stored(id)], before: null, queue: [], seq: 0 }).messages[0] as Message;
}
