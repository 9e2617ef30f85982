// The sessions of the project: what waits for a person is on top.

import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { call } from "../api/client.ts";
import type { Session } from "../api/schema.ts";
import { hasBegun, waitsForReview } from "../reduce.ts";
import { go, hashOf, type Route } from "../routes.ts";
import { openPage, report, usePage } from "../store.ts";
import { t } from "../strings.ts";
import { moment } from "../ui/format.ts";
import { Logo } from "../ui/logo.tsx";
import { ThemeSwitch } from "../ui/theme.tsx";

type Filter = keyof typeof t.sessions.filters;

export function Sidebar({ route, onKeys }: { route: Route; onKeys: () => void }): ReactNode {
  const project = usePage((page) => page.project);
  const projects = usePage((page) => page.projects);
  const known = usePage((page) => page.state.sessions);
  const approvals = usePage((page) => page.state.approvals);
  const [words, setWords] = useState("");
  const [filter, setFilter] = useState<Filter>("all");
  const found = useSearch(project?.id ?? null, words, filter, known);
  const waiting = new Set(approvals.map((asked) => asked.session));
  const waits = found.filter((session) => waiting.has(session.id) || session.state === "waiting" || waitsForReview(session));
  const rest = found.filter((session) => !waits.includes(session));
  const search = useRef<HTMLInputElement>(null);
  const open = route.view === "session" ? route.session : null;
  // Where nothing is open, the list is what the page is about.
  const Frame = route.view === "home" ? "main" : "aside";

  return (
    <Frame className="sidebar" aria-label={t.nav.sessions}>
      <div className="brand">
        <a href={hashOf({ view: "home", project: project?.id ?? null })} className="brand-name"><Logo />{t.product}</a>
        <ThemeSwitch />
      </div>
      {projects.length > 1 ? (
        <select
          aria-label={t.nav.project}
          value={project?.id ?? ""}
          onChange={(event) => {
            const id = event.target.value;
            void openPage(id).then(() => go({ view: "home", project: id }));
          }}
        >
          {projects.map((each) => <option key={each.id} value={each.id}>{each.name}</option>)}
        </select>
      ) : (
        <p className="project-name" title={project?.root}>{project?.name}</p>
      )}
      {route.view === "home" ? <h1 className="unseen">{t.nav.sessions}</h1> : null}
      <a className="button primary new-session" href={hashOf({ view: "new", project: project?.id ?? null })}>{t.sessions.new}</a>
      <div className="search">
        <input ref={search} id="search" type="search" aria-label={t.sessions.search} placeholder={t.sessions.search} value={words} onChange={(event) => setWords(event.target.value)} />
        <select aria-label={t.sessions.filter} value={filter} onChange={(event) => setFilter(event.target.value as Filter)}>
          {Object.entries(t.sessions.filters).map(([key, label]) => <option key={key} value={key}>{label}</option>)}
        </select>
      </div>
      <nav className="session-list" aria-label={t.nav.sessions}>
        {waits.length === 0 ? null : <Group title={t.sessions.waitsGroup} sessions={waits} open={open} waiting={waiting} />}
        <Group title={waits.length === 0 ? null : t.sessions.restGroup} sessions={rest} open={open} waiting={waiting} />
        {found.length === 0 ? <p className="empty">{words === "" && filter === "all" ? t.sessions.none : t.sessions.noneFound}</p> : null}
      </nav>
      <nav className="sidebar-foot" aria-label={t.nav.more}>
        <a href={hashOf({ view: "approvals", project: project?.id ?? null })} aria-current={route.view === "approvals" ? "page" : undefined}>
          {t.nav.approvals}{approvals.length > 0 ? <span className="count">{approvals.length}</span> : null}
        </a>
        <a href={hashOf({ view: "decisions", project: project?.id ?? null })} aria-current={route.view === "decisions" ? "page" : undefined}>{t.nav.decisions}</a>
        <a href={hashOf({ view: "settings", project: project?.id ?? null })} aria-current={route.view === "settings" ? "page" : undefined}>{t.nav.settings}</a>
        <button type="button" className="quiet icon" aria-label={t.keys.open} title={t.keys.open} onClick={onKeys}>?</button>
      </nav>
    </Frame>
  );
}

function Group({ title, sessions, open, waiting }: {
  title: string | null;
  sessions: readonly Session[];
  open: string | null;
  waiting: ReadonlySet<string | null>;
}): ReactNode {
  return (
    <>
      {title === null || sessions.length === 0 ? null : <h2 className="group">{title}</h2>}
      <ul>
        {sessions.map((session) => <Item key={session.id} session={session} current={session.id === open} waits={waiting.has(session.id)} />)}
      </ul>
    </>
  );
}

function Item({ session, current, waits }: { session: Session; current: boolean; waits: boolean }): ReactNode {
  const state = waits ? "waiting" : session.state;
  return (
    <li>
      <a
        className={`session-item state-${state}`}
        href={hashOf({ view: "session", project: session.project, session: session.id, tab: "transcript" })}
        aria-current={current ? "page" : undefined}
      >
        <span className="session-line">
          <span className="dot" aria-hidden="true" />
          <span className="session-title">{session.title || t.sessions.untitled}</span>
          <time dateTime={session.updated_at}>{moment(session.updated_at)}</time>
        </span>
        {session.last_words === "" ? null : <span className="session-words">{plain(session.last_words)}</span>}
        <span className="session-meta">
          {hasBegun(session) || waits ? <span className="session-state">{t.sessions.states[state]}</span> : null}
          <span>{session.agent}</span>
          {session.proposed > 0 ? <span className="to-review">{t.sessions.toReview(session.proposed)}</span> : null}
          {session.files_changed > 0 ? <span>{t.sessions.files(session.files_changed)}</span> : null}
        </span>
      </a>
    </li>
  );
}

/** Words of Markdown without its marks. */
function plain(words: string): string {
  return words.replace(/```\w*|\||-{3,}/g, " ").replace(/[`*#]/g, "").replace(/\s+/g, " ").trim();
}

/** The sessions that the words and the filter leave, the latest first; the server searches the messages too. */
function useSearch(project: string | null, words: string, filter: Filter, known: Readonly<Record<string, Session>>): readonly Session[] {
  const [found, setFound] = useState<readonly string[] | null>(null);
  const [fetched, setFetched] = useState<Readonly<Record<string, Session>>>({});
  const asks = words.trim() !== "" || filter === "archived";
  useEffect(() => {
    if (!asks || project === null) {
      setFound(null);
      return undefined;
    }
    let current = true;
    const state = filter === "all" ? null : filter;
    const wait = setTimeout(() => {
      call("listSessions", { query: { project, q: words.trim(), state } }).then(
        ({ sessions }) => {
          if (!current) return;
          setFetched(Object.fromEntries(sessions.map((session) => [session.id, session])));
          setFound(sessions.map((session) => session.id));
        },
        (error: unknown) => report(error),
      );
    }, 150);
    return () => {
      current = false;
      clearTimeout(wait);
    };
  }, [project, words, filter, asks, known]);
  return useMemo(() => {
    if (asks) {
      return (found ?? []).map((id) => known[id] ?? fetched[id]).filter((each) => each !== undefined);
    }
    return Object.values(known)
      .filter((session) => !session.archived && (filter === "all" || session.state === filter || (filter === "waiting" && waitsForReview(session))))
      .sort((one, two) => two.updated_at.localeCompare(one.updated_at));
  }, [asks, found, fetched, known, filter]);
}
