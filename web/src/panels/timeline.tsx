// The timeline of a session: checkpoints, turns, restores, merges.

import { type ReactNode, useState } from "react";

import { call } from "../api/client.ts";
import type { ChangeSummary, CheckpointInfo, Event, Session } from "../api/schema.ts";
import type { Message, Transcript } from "../reduce.ts";
import { usePage } from "../store.ts";
import { t } from "../strings.ts";
import { RestoreDialog } from "../transcript/restore_dialog.tsx";
import { moment, wholeMoment } from "../ui/format.ts";
import { useLoaded } from "../ui/load.ts";

const PAGE = 100;
const MOST = 500;
type Changes = ReadonlyMap<string, ChangeSummary>;

export default function Timeline({ session, transcript }: { session: Session; transcript: Transcript }): ReactNode {
  const changed = usePage((page) => page.state.changed);
  const key = `${session.id} ${changed.checkpoints} ${changed.changes} ${changed.worktrees}`;
  const path = { id: session.id };
  const [count, setCount] = useState(PAGE);
  const events = useLoaded(`${key} ${count}`, () => call("listTimeline", { path, query: { limit: count } }));
  const checkpoints = useLoaded(key, () => call("listCheckpoints", { path }));
  const changes = useLoaded(key, () => call("listChanges", { path, query: { limit: 1_000 } }));
  const [restoring, setRestoring] = useState<Message | null>(null);
  const problem = events.problem || checkpoints.problem;
  if (problem !== "") return <p className="problem" role="alert">{problem}</p>;
  if (events.value === null || checkpoints.value === null || changes.value === null) return <p className="empty">{t.loading}</p>;
  const points = new Map(checkpoints.value.checkpoints.map((each) => [each.id, each]));
  const known = new Map(changes.value.changes.map((each) => [each.id, each]));
  const shown = events.value.events.filter((event) => !isPassed(event, known));
  if (shown.length === 0) return <p className="empty">{t.timeline.none}</p>;
  return (
    <>
      <ol className="timeline">
        {shown.map((event) => {
          const point = points.get(checkpointOf(event));
          return (
            <li key={event.seq} className={`timeline-${event.kind}`}>
              <time dateTime={event.at} title={wholeMoment(event.at)}>{moment(event.at)}</time>
              <div className="timeline-body">
                <Words event={event} point={point} changes={known} />
                {point === undefined ? null : <button type="button" className="quiet" onClick={() => setRestoring(asMessage(point, transcript))}>{event.kind === "restored" ? t.timeline.restoreBefore : t.restore.here}</button>}
              </div>
            </li>
          );
        })}
      </ol>
      {events.value.before === null || count >= MOST ? null : <button type="button" className="older" onClick={() => setCount(MOST)}>{t.timeline.older}</button>}
      {restoring === null ? null : (
        <RestoreDialog session={session} message={restoring} onClose={() => setRestoring(null)} onPrompt={(text) => sessionStorage.setItem(`draft ${session.id}`, text)} />
      )}
    </>
  );
}

/** The checkpoint to go back to from an entry; that of a restore is what was there before it. */
function checkpointOf(event: Event): string {
  if (event.kind === "checkpoint_taken") return event.checkpoint_id;
  return event.kind === "restored" ? event.undo_checkpoint_id : "";
}

/** A proposal that was decided is shown by its decision. */
function isPassed(event: Event, changes: Changes): boolean {
  return event.kind === "change_moved" && event.state === "proposed" && changes.get(event.change_id)?.state !== "proposed";
}

function filesOf(change: ChangeSummary | undefined): string {
  return change?.files.map((file) => file.path).join(", ") ?? "";
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
      return <Line chip={t.changes.states[event.state]} text={filesOf(changes.get(event.change_id))} />;
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
