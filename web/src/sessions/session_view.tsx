// One session: its head, its tabs, and what the tab shows.

import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";

import { call, sentenceOf } from "../api/client.ts";
import type { Session } from "../api/schema.ts";
import { hasBegun, type Message, type Transcript } from "../reduce.ts";
import { go, hashOf, type Route, TABS } from "../routes.ts";
import { currentPage, dropSession, keepTranscripts, openTranscript, putSession, report, say, usePage } from "../store.ts";
import { t } from "../strings.ts";
import { Composer } from "../transcript/composer.tsx";
import { undoRestore } from "../transcript/restore_dialog.tsx";
import { TranscriptView } from "../transcript/transcript.tsx";
import { Ask } from "../ui/ask.tsx";
import { compact } from "../ui/format.ts";
import { useLoaded } from "../ui/load.ts";
import { Menu } from "../ui/menu.tsx";

const Changes = lazy(() => import("../changes/changes_view.tsx"));
const Timeline = lazy(() => import("../panels/timeline.tsx"));
const Ledger = lazy(() => import("../panels/ledger.tsx"));

type SessionRoute = Extract<Route, { view: "session" }>;

export function SessionView({ route }: { route: SessionRoute }): ReactNode {
  const id = route.session;
  const session = usePage((page) => page.state.sessions[id]);
  const transcript = usePage((page) => page.state.transcripts[id]);
  const returned = usePage((page) => page.returned);
  const [problem, setProblem] = useState("");

  useEffect(() => {
    let current = true;
    setProblem("");
    keepTranscripts(id);
    // What is loaded goes on by the stream, also after a lost connection: the reader stays where they are.
    if (currentPage().state.transcripts[id] !== undefined) return undefined;
    openTranscript(id).catch((error: unknown) => {
      if (current) setProblem(sentenceOf(error));
    });
    return () => {
      current = false;
    };
  }, [id, returned]);

  if (problem !== "" && transcript === undefined) return <main className="main"><Back project={route.project} /><p className="problem" role="alert">{problem}</p></main>;
  if (session === undefined || transcript === undefined) return <main className="main"><Back project={route.project} /><p className="empty">{t.loading}</p></main>;
  return <Opened key={id} route={route} session={session} transcript={transcript} />;
}

function Back({ project }: { project: string | null }): ReactNode {
  return <a className="back" href={hashOf({ view: "home", project })}>← {t.back}</a>;
}

function Opened({ route, session, transcript }: { route: SessionRoute; session: Session; transcript: Transcript }): ReactNode {
  const [draft, setDraft] = useDraft(session.id);
  const given = `prompt ${session.id}`;
  /** A restore puts the prompt into the composer; its undo takes the prompt out again, if nobody has edited it. */
  const onPrompt = (text: string | null): void => {
    if (text !== null) {
      sessionStorage.setItem(given, text);
      setDraft(text);
    } else if (draft === sessionStorage.getItem(given)) setDraft("");
  };
  const last = transcript.messages.findLast((message) => message.role === "assistant");
  return (
    <main className="main session" id="content">
      <Head session={session} last={last} project={route.project} />
      <nav className="tabs" aria-label={t.tabs.transcript}>
        {TABS.map((tab) => (
          <a key={tab} href={hashOf({ ...route, tab })} aria-current={tab === route.tab ? "page" : undefined}>
            {t.tabs[tab]}
            {tab === "changes" ? <ChangesCount session={session} /> : null}
          </a>
        ))}
      </nav>
      {route.tab === "transcript" ? (
        <>
          <TranscriptView session={session} transcript={transcript} onPrompt={onPrompt} />
          <div className="dock">
            <Plan message={last} />
            <RestoredNote session={session} transcript={transcript} onPrompt={onPrompt} />
            <Composer session={session} queue={transcript.queue} draft={draft} onDraft={setDraft} />
          </div>
        </>
      ) : (
        <div className="panel">
          <Suspense fallback={<p className="empty">{t.loading}</p>}>
            {route.tab === "changes" ? <Changes session={session} transcript={transcript} /> : null}
            {route.tab === "timeline" ? <Timeline session={session} transcript={transcript} onPrompt={onPrompt} /> : null}
            {route.tab === "ledger" ? <Ledger session={session} /> : null}
          </Suspense>
        </div>
      )}
    </main>
  );
}

/** What waits for a review counts before what is in the files. */
function ChangesCount({ session }: { session: Session }): ReactNode {
  if (session.proposed > 0) return <span className="count" title={t.sessions.toReview(session.proposed)}>{session.proposed}</span>;
  if (session.files_changed > 0) return <span className="count muted" title={t.sessions.files(session.files_changed)}>{session.files_changed}</span>;
  return null;
}

function Head({ session, last, project }: { session: Session; last: Message | undefined; project: string | null }): ReactNode {
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);
  const approvals = usePage((page) => page.state.approvals);
  const state = approvals.some((asked) => asked.session === session.id) ? "waiting" : session.state;
  const edit = (body: { title?: string; archived?: boolean }): void => {
    call("updateSession", { path: { id: session.id }, body }).then((changed) => {
      putSession(changed);
      if (body.archived) say(t.sessions.archived);
    }).catch(report);
  };
  const remove = (): void => {
    call("deleteSession", { path: { id: session.id } }).then(() => {
      dropSession(session.id);
      go({ view: "home", project });
    }).catch(report);
  };
  return (
    <header className="session-head">
      <Back project={project} />
      <div className="session-head-line">
        <h1 title={session.title}>{session.title || t.sessions.untitled}</h1>
        {hasBegun(session) ? <span className={`state state-${state}`}><span className="dot" aria-hidden="true" />{t.sessions.states[state]}</span> : null}
        <Menu label={t.more}>
          <button type="button" onClick={() => setAsking("rename")}>{t.sessions.rename}</button>
          <button type="button" onClick={() => edit({ archived: !session.archived })}>{session.archived ? t.sessions.unarchive : t.sessions.archive}</button>
          <button type="button" className="danger-text" onClick={() => setAsking("delete")}>{t.sessions.delete}</button>
        </Menu>
      </div>
      <div className="session-facts">
        <span>{session.agent}</span>
        {last?.model && last.model !== session.agent ? <span>{last.model}</span> : null}
        <span className="wide-only">{t.newSession.places[session.place]}{session.branch === null ? "" : <> · <span className="mono">{session.branch}</span></>}</span>
        {last?.sandbox ? <span className="wide-only">{t.session.sandbox}: {last.sandbox}</span> : null}
        <Gauge session={session} last={last} />
      </div>
      {isRehearsal(last) ? <p className="banner tone-warn slim">{t.session.rehearsal}</p> : null}
      {asking === "rename" ? (
        <Ask title={t.sessions.rename} label={t.sessions.renameLabel} value={session.title} action={t.save} onAnswer={(title) => edit({ title })} onClose={() => setAsking(null)} />
      ) : null}
      {asking === "delete" ? (
        <Ask title={t.sessions.deleteTitle} text={t.sessions.deleteText} action={t.sessions.delete} danger onAnswer={remove} onClose={() => setAsking(null)} />
      ) : null}
    </header>
  );
}

function isRehearsal(last: Message | undefined): boolean {
  return last !== undefined && /rehears/i.test(last.model);
}

/** How full the context is, and how many steps of the turn are used. */
function Gauge({ session, last }: { session: Session; last: Message | undefined }): ReactNode {
  const settings = useLoaded(session.project, () => call("getSettings", { query: { project: session.project } }));
  const used = last?.usage.context ?? 0;
  const size = last?.window ?? 0;
  const most = numberOf(settings.value?.settings["max_steps"]?.value);
  const steps = last?.ended?.steps ?? last?.step ?? 0;
  return (
    <>
      {steps > 0 ? <span>{most > 0 ? `${steps} / ${t.session.steps(most)}` : t.session.steps(steps)}</span> : null}
      {used > 0 ? (
        <span className="gauge">
          {t.session.context}{" "}
          {size > 0 ? (
            <>
              <meter min={0} max={size} high={size * 0.8} value={used} aria-label={t.session.context} />{" "}
              {t.session.contextOf(compact(used), compact(size))}
            </>
          ) : t.session.contextUsed(compact(used))}
        </span>
      ) : null}
    </>
  );
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function Plan({ message }: { message: Message | undefined }): ReactNode {
  if (message === undefined || message.plan.length === 0) return null;
  const done = message.plan.filter((entry) => entry.status === "completed" || entry.status === "done").length;
  return (
    <details className="plan" open={message.ended === null}>
      <summary>{t.session.plan} <span className="muted">{t.session.planDone(done, message.plan.length)}</span></summary>
      <ol>
        {message.plan.map((entry, index) => (
          <li key={index} className={`plan-${entry.status.replace(/\W/g, "_")}`}>
            {entry.text} <span className="muted small">{entry.status.replaceAll("_", " ")}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The last restore can be undone as long as nothing else was done. */
function RestoredNote({ session, transcript, onPrompt }: {
  session: Session;
  transcript: Transcript;
  onPrompt: (text: null) => void;
}): ReactNode {
  const changed = usePage((page) => page.state.changed.checkpoints);
  const checkpoints = useLoaded(`${session.id} ${changed}`, () => call("listCheckpoints", { path: { id: session.id } }));
  const newest = checkpoints.value?.checkpoints[0];
  const live = transcript.restored?.verb === "restore";
  if (!live && newest?.kind !== "undo") return null;
  if (transcript.restored?.verb === "undo") return null;
  return (
    <div className="banner tone-plain slim" role="status">
      <span className="banner-text">{t.restore.last}</span>
      <button type="button" onClick={() => void undoRestore(session.id, onPrompt)}>{t.restore.undo}</button>
    </div>
  );
}

function useDraft(id: string): [string, (text: string) => void] {
  const key = `draft ${id}`;
  const [draft, setDraft] = useState(() => sessionStorage.getItem(key) ?? "");
  return [
    draft,
    (text) => {
      setDraft(text);
      if (text === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, text);
    },
  ];
}
