// The state of the page outside of React: the fold of the events, and what was loaded.

import { useSyncExternalStore } from "react";

import { call, ProblemError, sentenceOf } from "./api/client.ts";
import type { Approval, ApprovalAsked, Event, Project, Session } from "./api/schema.ts";
import { EMPTY, reduceAll, type State, transcriptOf, withOlder, withTranscript } from "./reduce.ts";
import type { Connection } from "./stream/follower.ts";
import { follow, type Following } from "./stream/follow.ts";

export interface Toast {
  id: number;
  text: string;
  tone: "good" | "bad";
}

export interface Page {
  projects: readonly Project[];
  project: Project | null;
  state: State;
  connection: Connection;
  /** How often the stream was opened again after it was lost. */
  returned: number;
  loaded: boolean;
  problem: string;
  denied: boolean;
  toasts: readonly Toast[];
}

const PAGE_SIZE = 40;

let page: Page = {
  projects: [],
  project: null,
  state: EMPTY,
  connection: "connecting",
  returned: 0,
  loaded: false,
  problem: "",
  denied: false,
  toasts: [],
};
const watchers = new Set<() => void>();
let following: Following | null = null;
let pending: Event[] = [];
let scheduled = false;
/** Events that arrive while the transcript of their session is being loaded. */
const meanwhile = new Map<string, Event[]>();

function set(change: Partial<Page>): void {
  page = { ...page, ...change };
  for (const watcher of watchers) watcher();
}

export function usePage<T>(select: (page: Page) => T): T {
  return useSyncExternalStore(subscribe, () => select(page));
}

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function currentPage(): Page {
  return page;
}

// ---------------------------------------------------------------------------------------------------- projects

export async function openPage(wanted: string | null): Promise<void> {
  try {
    const { projects } = await call("listProjects", {});
    const project = projects.find((each) => each.id === wanted) ?? projects[0] ?? null;
    set({ projects, problem: "", denied: false });
    if (project !== null) await openProject(project);
    set({ loaded: true });
  } catch (error) {
    const denied = error instanceof ProblemError && error.problem.status === 401;
    set({ loaded: true, denied, problem: sentenceOf(error) });
  }
}

async function openProject(project: Project): Promise<void> {
  following?.stop();
  pending = [];
  set({ project, state: { ...EMPTY, seq: project.last_seq } });
  following = follow(project.id, {
    seq: project.last_seq,
    onEvents: receive,
    onConnection: (connection) => {
      const back = connection === "open" && page.connection === "lost";
      set({ connection, returned: back ? page.returned + 1 : page.returned });
      if (connection === "outdated") void openPage(project.id).then(() => set({ returned: page.returned + 1 }));
    },
  });
  await Promise.all([loadSessions(), loadApprovals()]);
}

export function reconnect(): void {
  following?.reconnect();
}

function receive(events: readonly Event[]): void {
  for (const event of events) {
    if (event.session !== null) meanwhile.get(event.session)?.push(event);
  }
  pending.push(...events);
  schedule();
}

/** Fold with the next frame; a hidden tab draws none, but its title says who waits. */
function schedule(): void {
  if (scheduled || pending.length === 0) return;
  scheduled = true;
  if (document.hidden) window.setTimeout(flush, 200);
  else requestAnimationFrame(flush);
}

document.addEventListener("visibilitychange", () => {
  // The frame that was asked for may never come.
  if (document.hidden && scheduled) window.setTimeout(flush, 200);
});

/** At most this many events are folded in one task, so that none takes long. */
const BATCH = 400;

function flush(): void {
  scheduled = false;
  const batch = pending.slice(0, BATCH);
  pending = pending.slice(BATCH);
  const before = page.state;
  const state = reduceAll(before, batch);
  set({ state });
  if (state.changed.sessions !== before.changed.sessions || state.changed.changes !== before.changed.changes) {
    loadSessionsSoon();
  }
  for (const [id, transcript] of Object.entries(state.transcripts)) {
    if (transcript.stale && !before.transcripts[id]?.stale) void openTranscript(id);
  }
  schedule();
}

// ---------------------------------------------------------------------------------------------------- sessions

let soon: number | null = null;

/** Load the list once for all events of a moment; events that never pause do not put it off. */
function loadSessionsSoon(): void {
  soon ??= window.setTimeout(() => {
    soon = null;
    void loadSessions();
  }, 250);
}

export async function loadSessions(): Promise<void> {
  const project = page.project;
  if (project === null) return;
  try {
    const answer = await call("listSessions", { query: { project: project.id, limit: 500 } });
    const sessions: Record<string, Session> = {};
    for (const session of answer.sessions) sessions[session.id] = session;
    // What is open but not in the list (archived, deep link) stays.
    for (const id of Object.keys(page.state.transcripts)) {
      const known = page.state.sessions[id];
      if (sessions[id] === undefined && known !== undefined) sessions[id] = known;
    }
    set({ state: { ...page.state, sessions } });
  } catch (error) {
    if (page.connection === "open") report(error);
  }
}

export function putSession(session: Session): void {
  set({ state: { ...page.state, sessions: { ...page.state.sessions, [session.id]: session } } });
}

export function dropSession(id: string): void {
  const { [id]: _gone, ...sessions } = page.state.sessions;
  set({ state: { ...page.state, sessions } });
}

async function loadApprovals(): Promise<void> {
  const project = page.project;
  if (project === null) return;
  const { approvals } = await call("listApprovals", { query: { state: "waiting", project: project.id } });
  const known = new Set(page.state.approvals.map((asked) => asked.approval_id));
  const asked = approvals.filter((each) => !known.has(each.id)).map(asEvent);
  set({ state: { ...page.state, approvals: [...asked, ...page.state.approvals] } });
}

function asEvent(approval: Approval): ApprovalAsked {
  return {
    v: 1,
    seq: 0,
    at: approval.asked_at,
    session: approval.session,
    turn: approval.turn,
    what: approval.what,
    subject: approval.subject,
    why: approval.why,
    approval_id: approval.id,
    options: approval.options,
    kind: "approval_asked",
  };
}

// -------------------------------------------------------------------------------------------------- transcripts

export async function openTranscript(id: string): Promise<void> {
  if (meanwhile.has(id)) return;
  meanwhile.set(id, []);
  try {
    const [session, messages] = await Promise.all([
      call("getSession", { path: { id } }),
      call("listMessages", { path: { id }, query: { limit: PAGE_SIZE } }),
    ]);
    const since = meanwhile.get(id) ?? [];
    const state = withTranscript(page.state, id, transcriptOf(messages), since);
    set({ state: { ...state, sessions: { ...state.sessions, [id]: session } } });
  } finally {
    meanwhile.delete(id);
  }
  // Something came back while this page was on its way.
  if (page.state.transcripts[id]?.stale) await openTranscript(id);
}

/** Let go of all but the newest page. Without an answer everything stays; the next message tries again. */
export async function loadNewest(id: string): Promise<void> {
  await openTranscript(id).catch(() => undefined);
}

let loadingOlder = false;

export async function loadOlder(id: string): Promise<void> {
  const before = page.state.transcripts[id]?.older;
  if (before === null || before === undefined || loadingOlder) return;
  loadingOlder = true;
  try {
    const messages = await call("listMessages", { path: { id }, query: { before, limit: PAGE_SIZE } });
    const transcript = page.state.transcripts[id];
    if (transcript === undefined || transcript.older !== before) return;
    const transcripts = { ...page.state.transcripts, [id]: withOlder(transcript, messages) };
    set({ state: { ...page.state, transcripts } });
  } catch (error) {
    report(error);
  } finally {
    loadingOlder = false;
  }
}

/** Forget the transcripts of sessions that are not shown: a day's work would fill the memory. */
export function keepTranscripts(id: string | null): void {
  const kept = id === null ? undefined : page.state.transcripts[id];
  const transcripts = id === null || kept === undefined ? {} : { [id]: kept };
  set({ state: { ...page.state, transcripts } });
}

// ------------------------------------------------------------------------------------------------------- toasts

let toasts = 0;

export function say(text: string, tone: Toast["tone"] = "good"): void {
  toasts += 1;
  const toast = { id: toasts, text, tone };
  set({ toasts: [...page.toasts.slice(-3), toast] });
  window.setTimeout(() => dismiss(toast.id), tone === "bad" ? 12_000 : 5_000);
}

export function dismiss(id: number): void {
  set({ toasts: page.toasts.filter((toast) => toast.id !== id) });
}

export function report(error: unknown): void {
  say(sentenceOf(error), "bad");
}
