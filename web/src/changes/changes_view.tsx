// The changes of a session: compared with a moment, or one by one to accept, reject and rewind; and the merge.

import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";

import { call, ProblemError, sentenceOf } from "../api/client.ts";
import type { ChangeSummary, Hunk, Refusal, Rejection, Session, SessionDiff } from "../api/schema.ts";
import { runningTurn, type Transcript } from "../reduce.ts";
import { report, say, usePage } from "../store.ts";
import { t } from "../strings.ts";
import { Ask } from "../ui/ask.tsx";
import { useLoaded } from "../ui/load.ts";
import { countOf } from "./diff.ts";
import { DiffList, type FileActions } from "./diff_list.tsx";

const COUNT = 200;

export default function ChangesView({ session, transcript }: { session: Session; transcript: Transcript }): ReactNode {
  const changed = usePage((page) => page.state.changed.changes);
  const changes = useLoaded(`${session.id} ${changed}`, () => call("listChanges", { path: { id: session.id }, query: {} }));
  const proposed = changes.value?.changes.find((change) => change.state === "proposed");
  const [chosen, setChosen] = useState<string | null>(null);
  const source = chosen ?? (proposed === undefined ? "base" : `change:${proposed.id}`);
  const [split, setSplit] = useState(() => window.innerWidth > 1400);
  const [conflicts, setConflicts] = useState<readonly Refusal[]>([]);
  const hunks = useHunks(session, source, changed);
  const [rejecting, setRejecting] = useState<number[] | null>(null);
  const [jump, setJump] = useState<{ path: string; again: number } | null>(null);
  const change = changes.value?.changes.find((each) => source === `change:${each.id}`);
  const turn = transcript.messages.findLast((message) => message.role === "assistant")?.turn ?? null;

  const settle = useCallback(
    async (what: "apply" | "reject" | "rewind", numbers: number[], reason = ""): Promise<void> => {
      if (change === undefined) return;
      const path = { id: change.id };
      try {
        const done =
          what === "apply"
            ? await call("applyChange", { path, body: { hunks: numbers } })
            : what === "reject"
              ? await call("rejectChange", { path, body: { hunks: numbers, reason } })
              : await call("rewindChange", { path });
        if (done.waits) say(done.message || t.changes.waits);
        else if (done.outcome === "rewound" && done.message !== "") say(t.changes.rewoundStopped);
        else say({ applied: t.changes.accepted, rejected: t.changes.rejected, rewound: t.changes.rewound, waits: t.changes.waits }[done.outcome]);
        setChosen(`change:${done.rest ?? change.id}`);
        setConflicts([]);
        changes.reload();
      } catch (error) {
        showRefusals(error, setConflicts);
      }
    },
    [change, changes],
  );

  const actions = useMemo<FileActions>(() => {
    const open = change?.state === "proposed";
    const reviewable = open || change?.state === "applied";
    return {
      onAccept: open ? (numbers) => void settle("apply", numbers) : null,
      onReject: reviewable ? (numbers) => setRejecting(numbers) : null,
    };
  }, [change?.state, settle]);

  return (
    <div className="changes">
      <div className="toolbar">
        <label className="inline">
          <span>{t.changes.scope}</span>
          <select value={source} onChange={(event) => setChosen(event.target.value)}>
            <option value="base">{t.changes.scopes.base}</option>
            {turn === null ? null : <option value={`turn:${turn}`}>{t.changes.scopes.prompt}</option>}
            {hunks.commits.map((commit) => <option key={commit.id} value={`commit:${commit.id}`}>{t.changes.commit(commit.title)}</option>)}
            {(changes.value?.changes.length ?? 0) > 0 ? (
              <optgroup label={t.changes.review}>
                {changes.value?.changes.map((each) => <option key={each.id} value={`change:${each.id}`}>{nameOf(each)}</option>)}
              </optgroup>
            ) : null}
          </select>
        </label>
        <div className="segmented" role="group" aria-label={t.changes.layout}>
          <button type="button" aria-pressed={!split} onClick={() => setSplit(false)}>{t.changes.unified}</button>
          <button type="button" aria-pressed={split} onClick={() => setSplit(true)}>{t.changes.split}</button>
        </div>
        <span className="grow" />
        {change === undefined ? null : (
          <>
            <span className={`chip ${change.state === "proposed" ? "warn" : change.state === "applied" ? "good" : ""}`}>{t.changes.states[change.state]}</span>
            {change.state === "proposed" ? (
              <>
                <button type="button" className="primary" onClick={() => void settle("apply", [])}>{t.changes.acceptAll}</button>
                <button type="button" onClick={() => setRejecting([])}>{t.changes.rejectAll}</button>
              </>
            ) : null}
            {change.state === "applied" ? <button type="button" onClick={() => void settle("rewind", [])}>{runningTurn(session) === null ? t.changes.rewind : t.changes.rewindStops}</button> : null}
          </>
        )}
        {session.place === "worktree" ? <Merge session={session} onConflicts={setConflicts} onProposed={(id) => { setChosen(`change:${id}`); changes.reload(); }} /> : null}
      </div>
      <Rejections rejections={changes.value?.rejections ?? []} changes={changes.value?.changes ?? []} />
      {runningTurn(session) !== null && actions.onReject !== null ? <p className="banner tone-plain slim">{t.changes.waits}</p> : null}
      {conflicts.length === 0 ? null : (
        <section className="conflicts" role="alert">
          <h2>{t.changes.conflicts}</h2>
          <ul>{conflicts.map((each, index) => <li key={index}><span className="mono">{each.path}</span> {each.message}</li>)}</ul>
        </section>
      )}
      {hunks.problem === "" ? null : <p className="problem" role="alert">{hunks.problem}</p>}
      {hunks.loaded && hunks.hunks.length === 0 && hunks.problem === "" ? <p className="empty">{t.changes.noDiff}</p> : null}
      {hunks.hunks.length === 0 ? null : (
        <div className="changes-body">
          <Files hunks={hunks.hunks} files={hunks.files} onJump={(path) => setJump({ path, again: (jump?.again ?? 0) + 1 })} />
          <DiffList hunks={hunks.hunks} total={hunks.total} split={split} actions={actions} jump={jump} onMore={hunks.more} />
        </div>
      )}
      {rejecting === null ? null : (
        <Ask title={t.changes.reasonTitle} label={t.changes.reasonLabel} action={t.changes.reject} onAnswer={(reason) => void settle("reject", rejecting, reason)} onClose={() => setRejecting(null)} />
      )}
    </div>
  );
}

/** What waits for the end of the turn, and what could not be taken out of the files then. */
function Rejections({ rejections, changes }: { rejections: readonly Rejection[]; changes: readonly ChangeSummary[] }): ReactNode {
  if (rejections.length === 0) return null;
  return (
    <ul className="rejections" aria-label={t.changes.rejections}>
      {rejections.map((each, index) => {
        const files = changes.find((change) => change.id === each.change_id)?.files ?? [];
        return (
          <li key={index} className={`banner slim tone-${each.state === "refused" ? "bad" : "plain"}`}>
            <span className="chip">{each.state === "refused" ? t.changes.notRejected : t.changes.waiting}</span>
            <span>
              <span className="mono">{files.map((file) => file.path).join(", ")}</span> {t.changes.hunks(each.hunks)}
              {each.reason === "" ? "" : ` — ${each.reason}`} {each.why}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Refusals stay above the diff until the next try; any other error is a passing note. */
function showRefusals(error: unknown, show: (refusals: readonly Refusal[]) => void): void {
  if (error instanceof ProblemError && error.problem.refusals.length > 0) show(error.problem.refusals);
  else report(error);
}

function nameOf(change: ChangeSummary): string {
  const paths = change.files.map((file) => file.path);
  const names = paths.length > 2 ? `${paths.slice(0, 2).join(", ")} +${paths.length - 2}` : paths.join(", ");
  return `${t.changes.states[change.state]}: ${names || change.origin}`;
}

function Files({ hunks, files, onJump }: { hunks: readonly Hunk[]; files: SessionDiff["files"]; onJump: (path: string) => void }): ReactNode {
  const shown = useMemo(() => (files.length > 0 ? files : countFiles(hunks)), [hunks, files]);
  return (
    <nav className="changed-files" aria-label={t.changes.files}>
      <ul>
        {shown.map((file) => (
          <li key={file.path}>
            <button type="button" className="quiet" title={file.path} onClick={() => onJump(file.path)}>
              <span className="mono">{file.path}</span>
              <span className="counts"><span className="plus">{file.added === null ? "" : `+${file.added}`}</span> <span className="minus">{file.removed === null ? "" : `−${file.removed}`}</span></span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function countFiles(hunks: readonly Hunk[]): SessionDiff["files"] {
  const files = new Map<string, { path: string; status: string; added: number; removed: number }>();
  for (const hunk of hunks) {
    const file = files.get(hunk.path) ?? { path: hunk.path, status: "", added: 0, removed: 0 };
    const { added, removed } = countOf(hunk.diff);
    files.set(hunk.path, { ...file, added: file.added + added, removed: file.removed + removed });
  }
  return [...files.values()];
}

interface Hunks {
  hunks: readonly Hunk[];
  total: number;
  files: SessionDiff["files"];
  commits: SessionDiff["commits"];
  loaded: boolean;
  problem: string;
  more: () => void;
}

const NOTHING = { hunks: [], total: 0, files: [], commits: [], loaded: false, problem: "" };

/** The hunks of a change or a comparison, page by page. */
function useHunks(session: Session, source: string, changed: number): Hunks {
  const [found, setFound] = useState<Omit<Hunks, "more">>(NOTHING);
  const state = useRef({ key: "", loading: false });
  const key = `${session.id} ${source} ${changed} ${runningTurn(session) === null}`;

  const load = useCallback(
    async (first: number): Promise<void> => {
      if (state.current.loading && state.current.key === key) return;
      state.current = { key, loading: true };
      try {
        const page = await fetchHunks(session.id, source, first);
        if (state.current.key !== key) return;
        setFound((before) => ({
          hunks: first === 1 ? page.hunks : [...before.hunks, ...page.hunks],
          total: page.total,
          files: first === 1 ? page.files : before.files,
          commits: page.commits.length > 0 ? page.commits : before.commits,
          loaded: true,
          problem: "",
        }));
      } catch (error) {
        if (state.current.key === key) setFound({ ...NOTHING, loaded: true, problem: sentenceOf(error) });
      } finally {
        if (state.current.key === key) state.current.loading = false;
      }
    },
    [key, session.id, source],
  );
  useEffect(() => void load(1), [load]);
  const next = found.hunks.length + 1;
  const more = useCallback(() => void load(next), [load, next]);
  return { ...found, more };
}

async function fetchHunks(id: string, source: string, first: number): Promise<Omit<Hunks, "loaded" | "problem" | "more">> {
  const page = { from: first, count: COUNT };
  if (source.startsWith("change:")) {
    const found = await call("listHunks", { path: { id: source.slice("change:".length) }, query: page });
    return { ...found, files: [], commits: [] };
  }
  return call("getDiff", { path: { id }, query: { against: source, ...page } });
}

function Merge({ session, onConflicts, onProposed }: {
  session: Session;
  onConflicts: (refusals: readonly Refusal[]) => void;
  onProposed: (change: string) => void;
}): ReactNode {
  const [working, setWorking] = useState(false);
  const menu = useRef<HTMLDetailsElement>(null);
  const run = async (what: "changes" | "branch" | "update"): Promise<void> => {
    setWorking(true);
    menu.current?.removeAttribute("open");
    onConflicts([]);
    try {
      const path = { id: session.id };
      if (what === "update") {
        const done = await call("updateWorktree", { path });
        say(t.changes.updated[done.outcome]);
      } else {
        const done = await call("mergeWorktree", { path, body: { form: what, hunks: [] } });
        say(t.changes.merged[done.outcome]);
        if (done.change_id !== null) onProposed(done.change_id);
      }
    } catch (error) {
      showRefusals(error, onConflicts);
    } finally {
      setWorking(false);
    }
  };
  return (
    <details className="menu" ref={menu}>
      <summary className="button">{t.changes.merge}</summary>
      <div className="menu-body">
        <button type="button" disabled={working} onClick={() => void run("changes")}>{t.changes.mergeAs.changes}</button>
        <button type="button" disabled={working} onClick={() => void run("branch")}>{t.changes.mergeAs.branch}</button>
        <button type="button" disabled={working} onClick={() => void run("update")}>{t.changes.update}</button>
      </div>
    </details>
  );
}
