// Where the reader is, in the fragment of the address: a server needs no route for it.

import { useSyncExternalStore } from "react";

export type Tab = "transcript" | "changes" | "timeline" | "ledger";
export const TABS: readonly Tab[] = ["transcript", "changes", "timeline", "ledger"];

export type Route =
  | { view: "home" | "new" | "approvals" | "decisions" | "settings"; project: string | null }
  | { view: "session"; project: string | null; session: string; tab: Tab };

export function parseRoute(hash: string): Route {
  const words = hash.replace(/^#\/?/, "").split("/").map(decode).filter(Boolean);
  const project = words[0] === "p" ? (words[1] ?? null) : null;
  const rest = words[0] === "p" ? words.slice(2) : words;
  const [view, session, tab] = rest;
  if (view === "s" && session !== undefined) {
    return { view: "session", project, session, tab: TABS.find((each) => each === tab) ?? "transcript" };
  }
  if (view === "new" || view === "approvals" || view === "decisions" || view === "settings") {
    return { view, project };
  }
  return { view: "home", project };
}

export function hashOf(route: Route): string {
  const words = route.project === null ? [] : ["p", route.project];
  if (route.view === "session") {
    words.push("s", route.session);
    if (route.tab !== "transcript") words.push(route.tab);
  } else if (route.view !== "home") {
    words.push(route.view);
  }
  return `#/${words.map(encodeURIComponent).join("/")}`;
}

export function go(route: Route): void {
  location.hash = hashOf(route);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => location.hash));
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
