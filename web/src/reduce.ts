// The state of a project as a pure fold of its event log. What a reload loads by pages is folded by the same
// functions as what the stream brings, so both show the same.

import type {
  AgentCall,
  ApprovalAsked,
  ApprovalGiven,
  CallEnded,
  CheckpointRestored,
  CommandRan,
  EditLanded,
  EditObserved,
  EditRefused,
  Event,
  Message as StoredMessage,
  MessagePage,
  PlanEntry,
  QueuedMessage,
  RepairEnded,
  Sentinel,
  Session,
  ToolCall,
  TurnEnded,
  TurnStarted,
  UsageReported,
} from "./api/schema.ts";

/** What the model said in one step. `settled`: the step is over, and its text is the one of the history. */
export interface SaidPart {
  kind: "said";
  step: number;
  text: string;
  reasoning: string;
  settled: boolean;
}

/** A call of one of Holdfast's tools, with what it did. `ended` is null while the tool runs. */
export interface CallPart {
  kind: "call";
  call: ToolCall;
  ended: CallEnded | null;
  landed: readonly EditLanded[];
  refused: readonly EditRefused[];
  commands: readonly CommandRan[];
}

export interface AgentCallPart {
  kind: "agent_call";
  call: AgentCall;
}

/** Edits without a call around them: those of an agent, of a command, of another program. */
export interface EditsPart {
  kind: "edits";
  landed: readonly EditLanded[];
  observed: readonly EditObserved[];
  refused: readonly EditRefused[];
}

export interface CommandPart {
  kind: "command";
  command: CommandRan;
}

export interface ApprovalPart {
  kind: "approval";
  asked: ApprovalAsked;
  given: ApprovalGiven | null;
}

export interface SentinelPart {
  kind: "sentinel";
  sentinel: Sentinel;
}

export interface RepairPart {
  kind: "repair";
  repairs: readonly RepairEnded[];
}

/** One line for people: a retry, a compaction, what an agent sent besides. */
export interface NotePart {
  kind: "note";
  note: "retried" | "compacted" | "checkpoint_missed" | "agent_state" | "agent_note" | "recovered" | "worktree";
  text: string;
  body: string;
}

export type Part =
  | SaidPart
  | CallPart
  | AgentCallPart
  | EditsPart
  | CommandPart
  | ApprovalPart
  | SentinelPart
  | RepairPart
  | NotePart;

export interface Usage {
  prompt: number;
  completion: number;
  /** The prompt of the last call: how full the context is. */
  context: number;
  estimated: boolean;
}

export interface Message {
  id: string;
  role: "user" | "assistant";
  turn: string | null;
  text: string;
  at: string;
  checkpoint: string | null;
  parts: readonly Part[];
  /** Seconds that the model has been silent since it was asked, or null. */
  waiting: number | null;
  step: number;
  usage: Usage;
  plan: readonly PlanEntry[];
  agent: string;
  model: string;
  sandbox: string;
  /** How many tokens fit into the context of the model, or null. */
  window: number | null;
  ended: TurnEnded | null;
}

/** A message that waits for its turn; as in the store, without the texts of its attachments. */
export interface Queued {
  id: string;
  turn: string;
  text: string;
  attachments: readonly string[];
  refused: boolean;
  why: string;
}

export interface Transcript {
  /** The number of the last event that is in it. */
  seq: number;
  messages: readonly Message[];
  /** The cursor of the next older page, or null. */
  older: number | null;
  queue: readonly Queued[];
  /** Something came back that the log names only by its id: load the page again. */
  stale: boolean;
  restored: CheckpointRestored | null;
}

export interface State {
  seq: number;
  sessions: Readonly<Record<string, Session>>;
  transcripts: Readonly<Record<string, Transcript>>;
  /** Questions without an answer, the oldest first. */
  approvals: readonly ApprovalAsked[];
  /** Grows with each event after which lists of the project may differ: they are loaded again. */
  changed: { sessions: number; changes: number; checkpoints: number; worktrees: number; decisions: number };
}

export const EMPTY: State = {
  seq: 0,
  sessions: {},
  transcripts: {},
  approvals: [],
  changed: { sessions: 0, changes: 0, checkpoints: 0, worktrees: 0, decisions: 0 },
};

const NO_USAGE: Usage = { prompt: 0, completion: 0, context: 0, estimated: false };

/** Return the state after an event; an event that is in the state already changes nothing. */
export function reduce(state: State, event: Event): State {
  if (event.seq <= state.seq) return state;
  const next = { ...state, seq: event.seq };
  const transcript = transcriptAfter(next, event);
  if (transcript !== null) {
    next.transcripts = { ...next.transcripts, [transcript.id]: transcript.after };
  }
  next.sessions = sessionsAfter(next.sessions, event);
  next.approvals = approvalsAfter(next.approvals, event);
  next.changed = changedAfter(next.changed, event);
  return next;
}

/** Return the state after several events. */
export function reduceAll(state: State, events: readonly Event[]): State {
  let next = state;
  for (const event of events) next = reduce(next, event);
  return next;
}

/** Return the transcript of a page of messages, newest first as the server sends it. */
export function transcriptOf(page: MessagePage): Transcript {
  return {
    seq: page.seq,
    messages: page.messages.map(messageOf).reverse(),
    older: page.before,
    queue: page.queue.map(queuedOf),
    stale: false,
    restored: null,
  };
}

/** Return the state with a transcript that was just loaded, and `since`, the events that came meanwhile. */
export function withTranscript(state: State, id: string, loaded: Transcript, since: readonly Event[]): State {
  let next: State = { ...state, transcripts: { ...state.transcripts, [id]: loaded } };
  for (const event of since) {
    const transcript = transcriptAfter(next, event);
    if (transcript !== null) next = { ...next, transcripts: { ...next.transcripts, [id]: transcript.after } };
  }
  return next;
}

/** Return the transcript with an older page before it. */
export function withOlder(transcript: Transcript, page: MessagePage): Transcript {
  const known = new Set(transcript.messages.map((message) => message.id));
  const older = page.messages.map(messageOf).reverse();
  return {
    ...transcript,
    messages: [...older.filter((message) => !known.has(message.id)), ...transcript.messages],
    older: page.before,
  };
}

/** Return a message of a page: the fold of the events of its turn. */
export function messageOf(stored: StoredMessage): Message {
  let message = newMessage(stored.id, stored.role, stored.turn_id, stored.created_at);
  message.text = stored.role === "user" ? stored.text : "";
  message.checkpoint = stored.checkpoint_id;
  if (stored.role === "user") return message;
  for (const event of stored.events) message = messageAfter(message, event);
  if (message.parts.length > 0 || stored.text === "") return message;
  // A copy in a fork has no turn of its own, only what was said.
  return withPart(message, { kind: "said", step: 0, text: stored.text, reasoning: "", settled: true });
}

function queuedOf(queued: QueuedMessage): Queued {
  return {
    id: queued.id,
    turn: queued.turn_id,
    text: queued.text,
    attachments: queued.attachments.map((each) => each.name),
    refused: queued.state === "refused",
    why: queued.why,
  };
}

function newMessage(id: string, role: "user" | "assistant", turn: string | null, at: string): Message {
  return {
    id,
    role,
    turn,
    text: "",
    at,
    checkpoint: null,
    parts: [],
    waiting: null,
    step: 0,
    usage: NO_USAGE,
    plan: [],
    agent: "",
    model: "",
    sandbox: "",
    window: null,
    ended: null,
  };
}

// ------------------------------------------------------------------------------------------------ transcripts

function transcriptAfter(state: State, event: Event): { id: string; after: Transcript } | null {
  const id = event.session;
  if (id === null) return null;
  const transcript = state.transcripts[id];
  if (transcript === undefined || event.seq <= transcript.seq) return null;
  const after = { ...transcript, seq: event.seq };
  switch (event.kind) {
    case "turn_started":
      after.messages = withTurn(after.messages, event);
      after.queue = after.queue.filter((each) => each.turn !== event.turn);
      break;
    case "message_queued":
      after.queue = queueAfter(after.queue, event);
      break;
    case "restored":
      after.messages = withoutIds(after.messages, event.message_ids_deleted);
      after.messages = withoutCheckpoints(after.messages, event.checkpoint_ids_removed);
      after.restored = event;
      after.stale = after.stale || event.message_ids_brought_back.length > 0;
      break;
    case "checkpoints_removed":
      after.messages = withoutCheckpoints(after.messages, event.checkpoint_ids);
      break;
    case "session_changed":
      after.stale = after.stale || event.action === "forked";
      break;
    default:
      after.messages = withEvent(after.messages, event);
  }
  return { id, after };
}

function withTurn(messages: readonly Message[], event: TurnStarted): readonly Message[] {
  const added: Message[] = [];
  if (event.prompt_message_id !== null) {
    const prompt = newMessage(event.prompt_message_id, "user", event.turn, event.at);
    prompt.text = event.prompt;
    added.push(prompt);
  }
  const answer = newMessage(event.message_id, "assistant", event.turn, event.at);
  added.push(messageAfter(answer, event));
  const ids = new Set(added.map((message) => message.id));
  return [...messages.filter((message) => !ids.has(message.id)), ...added];
}

/** Return the messages after an event of a turn: it goes into the answer of that turn, which is near the end. */
function withEvent(messages: readonly Message[], event: Event): readonly Message[] {
  if (event.turn === null) return messages;
  const place = messages.findLastIndex((each) => each.turn === event.turn && each.role === "assistant");
  const answer = messages[place];
  if (answer === undefined) return messages;
  const next = messageAfter(answer, event);
  if (next === answer) return messages;
  const after = messages.slice();
  after[place] = next;
  const prompt = after[place - 1];
  if (event.kind === "checkpoint_taken" && prompt?.role === "user" && prompt.turn === event.turn) {
    after[place - 1] = { ...prompt, checkpoint: next.checkpoint };
  }
  return after;
}

function withoutIds(messages: readonly Message[], ids: readonly string[]): readonly Message[] {
  const gone = new Set(ids);
  return messages.filter((message) => !gone.has(message.id));
}

function withoutCheckpoints(messages: readonly Message[], ids: readonly string[]): readonly Message[] {
  const gone = new Set(ids);
  return messages.map((message) =>
    message.checkpoint !== null && gone.has(message.checkpoint) ? { ...message, checkpoint: null } : message,
  );
}

function queueAfter(queue: readonly Queued[], event: Extract<Event, { kind: "message_queued" }>): readonly Queued[] {
  const others = queue.filter((each) => each.id !== event.message_id);
  if (event.state === "begun" || event.state === "removed") return others;
  const queued: Queued = {
    id: event.message_id,
    turn: event.turn_id,
    text: event.text,
    attachments: event.attachments,
    refused: event.state === "refused",
    why: event.why,
  };
  const place = queue.findIndex((each) => each.id === event.message_id);
  if (place < 0) return [...others, queued];
  return queue.map((each, index) => (index === place ? queued : each));
}

// --------------------------------------------------------------------------------------------------- messages

/** Return an answer after an event of its turn. A kind that is not named here does not compile. */
export function messageAfter(message: Message, event: Event): Message {
  switch (event.kind) {
    case "turn_started":
      return { ...message, agent: event.agent, model: event.model, sandbox: event.sandbox, window: event.context ?? null };
    case "checkpoint_taken":
      return event.checkpoint_kind === "turn" ? { ...message, checkpoint: event.checkpoint_id } : message;
    case "checkpoint_missed":
      return withNote(message, "checkpoint_missed", event.message);
    case "step_started":
      return { ...message, step: event.step, waiting: null };
    case "waiting":
      return { ...message, waiting: event.seconds };
    case "text":
      return withPiece(message, event.text, "");
    case "reasoning":
      return withPiece(message, "", event.text);
    case "said":
      return withSaid(message, event.text, event.reasoning);
    case "retried":
      return withNote(dropUnsettled(message), "retried", event.reason);
    case "call_started": {
      const call: CallPart = { kind: "call", call: event.call, ended: null, landed: [], refused: [], commands: [] };
      return withPart(message, call);
    }
    case "call_ended":
      return withCallEnded(message, event);
    case "edit_landed":
      return withLanded(message, event);
    case "edit_refused":
      return withRefused(message, event);
    case "edit_observed":
      return withObserved(message, event);
    case "command_ran":
      return withCommand(message, event);
    case "approval_asked":
      return withPart(message, { kind: "approval", asked: event, given: null });
    case "approval_given":
      return withAnswer(message, event);
    case "sentinel":
      return withPart(message, { kind: "sentinel", sentinel: event.sentinel });
    case "compacted":
      return withNote(message, "compacted", String(event.messages), event.summary);
    case "repair":
      return withRepair(message, event);
    case "usage":
      return withUsage(message, event);
    case "agent_call":
      return withAgentCall(message, event);
    case "plan":
      return { ...message, plan: event.entries };
    case "agent_state":
      return event.message === "" ? message : withNote(message, "agent_state", event.message);
    case "agent_note":
      return withNote(message, "agent_note", event.note_kind, JSON.stringify(event.body, null, 1));
    case "recovered":
      return withNote(message, "recovered", event.message);
    case "worktree":
      return withNote(message, "worktree", event.action);
    case "turn_ended":
      return { ...settle(message), ended: event, waiting: null };
    case "restored":
    case "checkpoints_removed":
    case "change_moved":
    case "changes_removed":
    case "session_changed":
    case "message_queued":
    case "rejection_queued":
    case "session_deleted":
    case "garbage_collected":
    case "baseline":
      return message;
    default:
      return unknownKind(event, message);
  }
}

/** A newer server may have kinds that this page does not know: they change nothing. */
function unknownKind<T>(event: never, unchanged: T): T {
  void event;
  return unchanged;
}

function withPart(message: Message, part: Part): Message {
  return { ...message, parts: [...message.parts, part] };
}

function withNote(message: Message, note: NotePart["note"], text: string, body = ""): Message {
  return withPart(message, { kind: "note", note, text, body });
}

function replacePart(message: Message, place: number, part: Part): Message {
  const parts = message.parts.slice();
  parts[place] = part;
  return { ...message, parts };
}

function openSaid(message: Message): number {
  return message.parts.findLastIndex((part) => part.kind === "said" && !part.settled);
}

function withPiece(message: Message, text: string, reasoning: string): Message {
  const awake = { ...message, waiting: null };
  const place = openSaid(message);
  const said = message.parts[place];
  if (said?.kind === "said") {
    return replacePart(awake, place, { ...said, text: said.text + text, reasoning: said.reasoning + reasoning });
  }
  return withPart(awake, { kind: "said", step: message.step, text, reasoning, settled: false });
}

/** The pieces of a step become what went into the history; a step that said nothing leaves no part. */
function withSaid(message: Message, text: string, reasoning: string): Message {
  const awake = { ...message, waiting: null };
  const place = openSaid(message);
  if (text === "" && reasoning === "") {
    return place < 0 ? awake : { ...awake, parts: message.parts.filter((_, index) => index !== place) };
  }
  const said: SaidPart = { kind: "said", step: message.step, text, reasoning, settled: true };
  return place < 0 ? withPart(awake, said) : replacePart(awake, place, said);
}

function dropUnsettled(message: Message): Message {
  const place = openSaid(message);
  if (place < 0) return message;
  return { ...message, parts: message.parts.filter((_, index) => index !== place) };
}

/** At the end of a turn what was being said stays as it is. */
function settle(message: Message): Message {
  const place = openSaid(message);
  const said = message.parts[place];
  if (said?.kind !== "said") return message;
  return replacePart(message, place, { ...said, settled: true });
}

function openCall(message: Message, id?: string): number {
  return message.parts.findLastIndex(
    (part) => part.kind === "call" && part.ended === null && (id === undefined || part.call.id === id),
  );
}

function withCallEnded(message: Message, event: CallEnded): Message {
  const place = openCall(message, event.call_id);
  const part = message.parts[place];
  if (part?.kind === "call") return replacePart(message, place, { ...part, ended: event });
  // A call that never began: it was refused before a tool could run.
  const call: ToolCall = { id: event.call_id, name: event.name, arguments: {}, note: null };
  return withPart(message, { kind: "call", call, ended: event, landed: [], refused: [], commands: [] });
}

function withLanded(message: Message, event: EditLanded): Message {
  const place = openCall(message);
  const part = message.parts[place];
  if (part?.kind === "call") return replacePart(message, place, { ...part, landed: [...part.landed, event] });
  return withEdits(message, (edits) => ({ ...edits, landed: [...edits.landed, event] }));
}

function withRefused(message: Message, event: EditRefused): Message {
  const place = openCall(message);
  const part = message.parts[place];
  if (part?.kind === "call") return replacePart(message, place, { ...part, refused: [...part.refused, event] });
  return withEdits(message, (edits) => ({ ...edits, refused: [...edits.refused, event] }));
}

function withObserved(message: Message, event: EditObserved): Message {
  return withEdits(message, (edits) => ({ ...edits, observed: [...edits.observed, event] }));
}

function withEdits(message: Message, change: (edits: EditsPart) => EditsPart): Message {
  const place = message.parts.length - 1;
  const last = message.parts[place];
  if (last?.kind === "edits") return replacePart(message, place, change(last));
  return withPart(message, change({ kind: "edits", landed: [], observed: [], refused: [] }));
}

function withCommand(message: Message, event: CommandRan): Message {
  const place = openCall(message);
  const part = message.parts[place];
  if (part?.kind === "call") return replacePart(message, place, { ...part, commands: [...part.commands, event] });
  return withPart(message, { kind: "command", command: event });
}

function withAnswer(message: Message, event: ApprovalGiven): Message {
  const place = message.parts.findLastIndex(
    (part) => part.kind === "approval" && part.given === null && isAnswerTo(part.asked, event),
  );
  const part = message.parts[place];
  return part?.kind === "approval" ? replacePart(message, place, { ...part, given: event }) : message;
}

function isAnswerTo(asked: ApprovalAsked, given: ApprovalGiven): boolean {
  return given.approval_id === "" ? asked.subject === given.subject : asked.approval_id === given.approval_id;
}

function withRepair(message: Message, event: RepairEnded): Message {
  const place = message.parts.length - 1;
  const last = message.parts[place];
  if (last?.kind === "repair") return replacePart(message, place, { ...last, repairs: [...last.repairs, event] });
  return withPart(message, { kind: "repair", repairs: [event] });
}

function withUsage(message: Message, event: UsageReported): Message {
  const usage: Usage = {
    prompt: message.usage.prompt + event.prompt,
    completion: message.usage.completion + event.completion,
    context: event.context ?? event.prompt + event.completion,
    estimated: message.usage.estimated || event.estimated,
  };
  return { ...message, usage, window: event.window ?? message.window };
}

function withAgentCall(message: Message, event: AgentCall): Message {
  const place = message.parts.findLastIndex(
    (part) => part.kind === "agent_call" && part.call.call_id === event.call_id,
  );
  const part: AgentCallPart = { kind: "agent_call", call: event };
  return place < 0 ? withPart(message, part) : replacePart(message, place, part);
}

// ------------------------------------------------------------------------------------------ sessions and lists

/** Return the turn that runs now, or waits for a person, or null. */
export function runningTurn(session: Session): string | null {
  return session.state === "running" || session.state === "waiting" ? session.turn_id : null;
}

/** Return whether a session has had a turn, or has one; before that it is in no state that could be named. */
export function hasBegun(session: Session): boolean {
  return session.turns > 0 || session.turn_id !== null;
}

/** Return whether changes of a session wait for a review, and no turn adds to them. */
export function waitsForReview(session: Session): boolean {
  return session.proposed > 0 && runningTurn(session) === null && !session.archived;
}

function sessionsAfter(sessions: State["sessions"], event: Event): State["sessions"] {
  if (event.kind === "session_deleted") {
    const { [event.session_id]: _gone, ...rest } = sessions;
    return rest;
  }
  const id = event.kind === "session_changed" ? event.session_id : event.session;
  const session = id === null ? undefined : sessions[id];
  if (session === undefined) return sessions;
  const after = sessionAfter(session, event);
  return after === session ? sessions : { ...sessions, [session.id]: after };
}

function sessionAfter(session: Session, event: Event): Session {
  switch (event.kind) {
    case "turn_started":
      return {
        ...session,
        state: "running",
        turn_id: event.turn,
        can_continue: false,
        title: session.title || (event.prompt.split("\n")[0] ?? ""),
        updated_at: event.at,
      };
    case "said":
      return event.text === "" ? session : { ...session, last_words: lastWords(event.text) };
    case "approval_asked":
      return { ...session, state: "waiting" };
    case "approval_given":
      return session.state === "waiting" ? { ...session, state: "running" } : session;
    case "turn_ended":
      return {
        ...session,
        state: event.stop_reason === "done" ? "done" : "stopped",
        stop_reason: event.stop_reason,
        approvals: 0,
        can_continue: event.stop_reason !== "done",
        updated_at: event.at,
      };
    case "session_changed":
      return {
        ...session,
        title: event.title,
        archived: event.archived,
        model: event.model,
        mode: event.mode,
      };
    default:
      return session;
  }
}

function lastWords(text: string): string {
  const words = text.trim().replace(/\s+/g, " ");
  // From a whole word on.
  return words.length <= 200 ? words : `…${words.slice(-200).replace(/^\S*\s/, "")}`;
}

function approvalsAfter(approvals: State["approvals"], event: Event): State["approvals"] {
  if (event.kind === "approval_asked") {
    return [...approvals.filter((asked) => asked.approval_id !== event.approval_id), event];
  }
  if (event.kind === "approval_given") {
    const left = approvals.filter((asked) => !isAnswerTo(asked, event));
    return left.length === approvals.length ? approvals : left;
  }
  if (event.kind === "turn_ended") {
    const left = approvals.filter((asked) => asked.turn !== event.turn);
    return left.length === approvals.length ? approvals : left;
  }
  return approvals;
}

function changedAfter(changed: State["changed"], event: Event): State["changed"] {
  switch (event.kind) {
    case "turn_started":
    case "turn_ended":
      return { ...changed, sessions: changed.sessions + 1, checkpoints: changed.checkpoints + 1 };
    case "session_changed":
    case "session_deleted":
    case "message_queued":
      return { ...changed, sessions: changed.sessions + 1 };
    case "change_moved":
    case "changes_removed":
    case "rejection_queued":
    case "edit_observed":
      return { ...changed, changes: changed.changes + 1 };
    case "checkpoint_taken":
    case "checkpoints_removed":
      return { ...changed, checkpoints: changed.checkpoints + 1 };
    case "restored":
      return {
        ...changed,
        sessions: changed.sessions + 1,
        changes: changed.changes + 1,
        checkpoints: changed.checkpoints + 1,
      };
    case "worktree":
      return { ...changed, worktrees: changed.worktrees + 1, changes: changed.changes + 1, checkpoints: changed.checkpoints + 1 };
    case "repair":
      return { ...changed, decisions: changed.decisions + 1 };
    default:
      return changed;
  }
}
