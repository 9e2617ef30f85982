// The frame of the page: where the reader is, what connects it, and the keys.

import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";

import { Sidebar } from "./sessions/sidebar.tsx";
import { SessionView } from "./sessions/session_view.tsx";
import { waitsForReview } from "./reduce.ts";
import { go, hashOf, type Route, TABS, useRoute } from "./routes.ts";
import { dismiss, openPage, reconnect, usePage } from "./store.ts";
import { t } from "./strings.ts";
import { Dialog } from "./ui/dialog.tsx";

const NewSession = lazy(() => import("./sessions/new_session.tsx"));
const Approvals = lazy(() => import("./panels/approvals.tsx"));
const Decisions = lazy(() => import("./panels/decisions.tsx"));
const Settings = lazy(() => import("./panels/settings.tsx"));

export function App(): ReactNode {
  const route = useRoute();
  const loaded = usePage((page) => page.loaded);
  const denied = usePage((page) => page.denied);
  const problem = usePage((page) => page.problem);
  const project = usePage((page) => page.project);
  const [keys, setKeys] = useState(false);
  useEffect(() => void openPage(route.project), []);
  useTitle();
  useKeys(route, () => setKeys(true));

  if (!loaded) return <p className="empty whole">{t.loading}</p>;
  if (denied) return <Whole title={t.denied.title} text={t.denied.text} />;
  if (problem !== "") return <Whole title={t.failed} text={problem} retry />;
  if (project === null) return <Whole title={t.noProject.title} text={t.noProject.text} />;
  return (
    <>
      <a className="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>{t.skip}</a>
      <div className={`shell view-${route.view}`}>
        <Sidebar route={route} onKeys={() => setKeys(true)} />
        <div className="stage">
          <ConnectionBanner />
          <ApprovalBar route={route} />
          <Suspense fallback={<p className="empty">{t.loading}</p>}><View route={route} /></Suspense>
        </div>
      </div>
      <Toasts />
      {keys ? <Keys onClose={() => setKeys(false)} /> : null}
    </>
  );
}

function View({ route }: { route: Route }): ReactNode {
  switch (route.view) {
    case "session":
      return <SessionView route={route} />;
    case "new":
      return <NewSession />;
    case "approvals":
      return <Approvals />;
    case "decisions":
      return <Decisions />;
    case "settings":
      return <Settings />;
    case "home":
      return <section className="main" id="content" tabIndex={-1} aria-label={t.product}><p className="empty">{t.sessions.pick}</p></section>;
  }
}

function Whole({ title, text, retry = false }: { title: string; text: string; retry?: boolean }): ReactNode {
  return (
    <main className="whole">
      <h1>{title}</h1>
      <p>{text}</p>
      {retry ? <button type="button" onClick={() => void openPage(null)}>{t.connection.retry}</button> : null}
    </main>
  );
}

function ConnectionBanner(): ReactNode {
  const connection = usePage((page) => page.connection);
  const returned = usePage((page) => page.returned);
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (returned === 0) return undefined;
    setShown(returned);
    const hide = setTimeout(() => setShown(0), 4_000);
    return () => clearTimeout(hide);
  }, [returned]);
  if (connection === "lost" || connection === "denied") {
    return (
      <div className="banner tone-bad top" role="alert">
        <span className="banner-text">{connection === "denied" ? t.denied.text : t.connection.lost}</span>
        <button type="button" onClick={reconnect}>{t.connection.retry}</button>
      </div>
    );
  }
  if (shown === 0) return null;
  return <div className="banner tone-good top" role="status">{t.connection.back}</div>;
}

/** Questions of other sessions than the one in view. */
function ApprovalBar({ route }: { route: Route }): ReactNode {
  const approvals = usePage((page) => page.state.approvals);
  const here = route.view === "session" ? route.session : null;
  const others = approvals.filter((asked) => asked.session !== here);
  if (others.length === 0 || route.view === "approvals") return null;
  return (
    <a className="banner tone-warn top" href={hashOf({ view: "approvals", project: route.project })}>
      <span className="banner-text">{t.approvals.bar(others.length)}</span>
    </a>
  );
}

function Toasts(): ReactNode {
  const toasts = usePage((page) => page.toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={`toast ${toast.tone}`}>
          <span>{toast.text}</span>
          <button type="button" className="quiet icon" aria-label={t.close} onClick={() => dismiss(toast.id)}>✕</button>
        </div>
      ))}
    </div>
  );
}

function Keys({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title={t.keys.title} onClose={onClose}>
      <dl className="pairs">
        {t.keys.rows.map(([key, what]) => <div key={key} className="pair"><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}
      </dl>
    </Dialog>
  );
}

function useTitle(): void {
  const questions = usePage((page) => page.state.approvals.length);
  const reviews = usePage((page) => Object.values(page.state.sessions).filter(waitsForReview).length);
  const waiting = questions + reviews;
  const name = usePage((page) => page.project?.name ?? t.product);
  useEffect(() => {
    document.title = waiting > 0 ? t.titleWaiting(waiting, name) : `${name} · ${t.product}`;
  }, [waiting, name]);
}

function useKeys(route: Route, onHelp: () => void): void {
  const now = useRef({ route, onHelp });
  now.current = { route, onHelp };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target;
      const typing = target instanceof HTMLElement && (target.matches("input, textarea, select") || target.closest("dialog") !== null);
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (press(event.key, now.current.route, now.current.onHelp)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Do what a key stands for; return whether it stands for anything. */
function press(key: string, route: Route, onHelp: () => void): boolean {
  const project = route.project;
  switch (key) {
    case "n":
      go({ view: "new", project });
      return true;
    case "a":
      go({ view: "approvals", project });
      return true;
    case "/":
      document.getElementById("search")?.focus();
      return true;
    case "m":
      document.getElementById("composer")?.focus();
      return true;
    case "?":
      onHelp();
      return true;
    case "j":
    case "k":
      return step(key === "j" ? 1 : -1);
    default: {
      const tab = /^[1-4]$/.test(key) ? TABS[Number(key) - 1] : undefined;
      if (route.view !== "session" || tab === undefined) return false;
      go({ ...route, tab });
      return true;
    }
  }
}

function step(by: number): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a.session-item")];
  const place = links.findIndex((link) => link.getAttribute("aria-current") === "page");
  const next = links[Math.max(0, Math.min(links.length - 1, place + by))];
  if (next === undefined) return false;
  location.hash = new URL(next.href).hash;
  return true;
}
