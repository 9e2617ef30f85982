// The timeline of a session: checkpoints, turns, restores, merges. The newest page is loaded with each change of the log,
// older ones when they are asked for, as far back as the log goes.

import { memo, type ReactNode, useEffect, useState } from "react";

import { call } from "../api/client.ts";
import type { ChangeMoved, ChangeSummary, CheckpointInfo, Event, Session, Timeline as Page } from "../api/schema.ts";
import type { Message, Transcript } from "../reduce.ts";
import { report, usePage } from "../store.ts";
import { t } from "../strings.ts";
import { RestoreDialog } from "../transcript/restore_dialog.tsx";
import { moment, wholeMoment } from "../ui/format.ts";
import { useLoaded } from "../ui/load.ts";
import { NO_PAGES, type Pages, withNewest, withOlder } from "./timeline_pages.ts";

const PAGE = 100;
type Changes = ReadonlyMap<string, ChangeSummary>;
type Points = ReadonlyMap<string, CheckpointInfo>;

export default function Timeline({ session, transcript, onPrompt }: {
  session: Session;
  transcript: Transcript;
  onPrompt: (text: string | null) => void;
}): ReactNode {
  const changed = usePage((page) => page.state.changed);
  const key = `${session.id} ${changed.checkpoints} ${changed.changes} ${changed.worktrees}`;
  const path = { id: session.id };
  const newest = useLoaded(key, () => call("listTimeline", { path, query: { limit: PAGE } }));
  const lists = useLoaded(key, async () => {
    const [checkpoints, changes] = await Promise.all([call("listCheckpoints", { path }), call("listChanges", { path, query: { limit: 1_000 } })]);
    return {
      points: new Map(checkpoints.checkpoints.map((each) => [each.id, each])),
      changes: new Map(changes.changes.map((each) => [each.id, each])),
    };
  });
  const [pages, setPages] = useState<Pages>(NO_PAGES);
  const [restoring, setRestoring] = useState<CheckpointInfo | null>(null);
  useEffect(() => {
    const page = newest.value;
    if (page !== null) setPages((before) => withNewest(before, page));
  }, [newest.value]);
  const [loading, setLoading] = useState(false);
  const showOlder = async (before: number): Promise<void> => {
    setLoading(true);
    try {
      const page: Page = await call("listTimeline", { path, query: { before, limit: PAGE } });
      setPages((known) => withOlder(known, before, page));
    } catch (error) {
      report(error);
    } finally {
      setLoading(false);
    }
  };
  const problem = newest.problem || lists.problem;
  if (problem !== "") return <p className="problem" role="alert">{problem}</p>;
  const found = lists.value;
  if (newest.value === null || found === null) return <p className="empty">{t.loading}</p>;
  if (pages.pages.every((page) => page.every((event) => isPassed(event, found.changes)))) return <p className="empty">{t.timeline.none}</p>;
  const older = pages.before;
  return (
    <>
      <ol className="timeline">
        {pages.pages.map((page) => (
          <Entries key={page.at(-1)?.seq ?? 0} page={page} points={found.points} changes={found.changes} onRestore={setRestoring} />
        ))}
      </ol>
      {older === null ? null : <button type="button" className="older" disabled={loading} onClick={() => void showOlder(older)}>{t.timeline.older}</button>}
      {restoring === null ? null : (
        <RestoreDialog session={session} message={asMessage(restoring, transcript)} onClose={() => setRestoring(null)} onPrompt={onPrompt} />
      )}
    </>
  );
}

/** One page. The browser lays out only the pages in view (`content-visibility`), and a page is drawn again only if it differs. */
const Entries = memo(function Entries({ page, points, changes, onRestore }: {
  page: readonly Event[];
  points: Points;
  changes: Changes;
  onRestore: (checkpoint: CheckpointInfo) => void;
}) {
  const shown = page.filter((event) => !isPassed(event, changes));
  return shown.map((event) => {
    const point = points.get(checkpointOf(event));
    return (
      <li key={event.seq} className={`timeline-${event.kind}`}>
        <time dateTime={event.at} title={wholeMoment(event.at)}>{moment(event.at)}</time>
        <div className="timeline-body">
          <Words event={event} point={point} changes={changes} />
          {point === undefined ? null : <button type="button" className="quiet" onClick={() => onRestore(point)}>{event.kind === "restored" ? t.timeline.restoreBefore : t.restore.here}</button>}
        </div>
      </li>
    );
  });
});

/** The checkpoint to go back to from an entry; that of a restore is what was there before it. */
function checkpointOf(event: Event): string {
  if (event.kind === "checkpoint_taken") return event.checkpoint_id;
  return event.kind === "restored" ? event.undo_checkpoint_id : "";
}

/** A proposal that was decided is shown by its decision. */
function isPassed(event: Event, changes: Changes): boolean {
  return event.kind === "change_moved" && event.state === "proposed" && changes.get(event.change_id)?.state !== "proposed";
}

/** The files of a change; of one that is not in the list any more, those that were written. */
function filesOf(event: ChangeMoved, changes: Changes): string {
  const known = changes.get(event.change_id);
  return (known?.files ?? event.written).map((file) => file.path).join(", ");
}

function Words({ event, point, changes }: { event: Event; point: CheckpointInfo | undefined; changes: Changes }): ReactNode {
  switch (event.kind) {
    case "checkpoint_taken":
      return (
        <>
          <Line chip={t.timeline.kinds[event.checkpoint_kind] ?? event.checkpoint_kind} text={event.label} />
          {point !== undefined && point.skipped.length > 0 ? <span className="muted small" title={point.skipped.join("\n")}>{t.timeline.skipped(point.skipped.length)}</span> : null}
          <span className="mono muted small">{event.checkpoint_id}</span>
        </>
      );
    case "change_moved":
      return <Line chip={t.changes.states[event.state]} text={filesOf(event, changes)} />;
    case "turn_ended":
      return <Line chip={t.timeline.turnEnded} text={t.timeline.turnFacts(t.ends[event.stop_reason], event.steps, event.files.length)} />;
    case "restored":
      return <Line chip={t.timeline.verbs[event.verb]} text={t.timeline.restoreFacts(t.restore.scopes[event.scope], event.messages_deleted, event.messages_brought_back)} />;
    case "worktree":
      return <Line chip={t.timeline.worktree[event.action]} text={event.change_id === null ? event.branch : t.timeline.mergedAs} />;
    default:
      return null;
  }
}

function Line({ chip, text }: { chip: string; text: string }): ReactNode {
  return (
    <>
      <span className="chip">{chip}</span>
      <span className="timeline-label">{text}</span>
    </>
  );
}

/** A checkpoint without a message of the transcript is restored as if it had one. */
function asMessage(checkpoint: CheckpointInfo, transcript: Transcript): Message {
  const known = transcript.messages.find((message) => message.checkpoint === checkpoint.id);
  if (known !== undefined) return known;
  const usage = { prompt: 0, completion: 0, context: 0, estimated: false };
  return { id: checkpoint.id, role: "user", turn: null, text: "", at: checkpoint.created_at, checkpoint: checkpoint.id, parts: [], waiting: null, step: 0, usage, plan: [], agent: "", model: "", sandbox: "", window: null, ended: null };
}
