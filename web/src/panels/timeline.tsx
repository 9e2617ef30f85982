// The timeline of a session: checkpoints, turns, restores, merges.

import { type ReactNode, useState } from "react";

import { call } from "../api/client.ts";
import type { ChangeSummary, CheckpointInfo, Session } from "../api/schema.ts";
import type { Message, Transcript } from "../reduce.ts";
import { usePage } from "../store.ts";
import { t } from "../strings.ts";
import { RestoreDialog } from "../transcript/restore_dialog.tsx";
import { moment, wholeMoment } from "../ui/format.ts";
import { useLoaded } from "../ui/load.ts";

type Entry =
  | { kind: "checkpoint"; at: string; checkpoint: CheckpointInfo }
  | { kind: "change"; at: string; change: ChangeSummary };

export default function Timeline({ session, transcript }: { session: Session; transcript: Transcript }): ReactNode {
  const changed = usePage((page) => page.state.changed);
  const checkpoints = useLoaded(`${session.id} ${changed.checkpoints}`, () => call("listCheckpoints", { path: { id: session.id } }));
  const changes = useLoaded(`${session.id} ${changed.changes}`, () => call("listChanges", { path: { id: session.id }, query: {} }));
  const [restoring, setRestoring] = useState<Message | null>(null);
  if (checkpoints.problem !== "") return <p className="problem" role="alert">{checkpoints.problem}</p>;
  if (checkpoints.value === null) return <p className="empty">{t.loading}</p>;
  const entries = entriesOf(checkpoints.value.checkpoints, changes.value?.changes ?? []);
  if (entries.length === 0) return <p className="empty">{t.timeline.none}</p>;
  return (
    <>
      <ol className="timeline">
        {entries.map((entry) => (
          <li key={entry.kind === "checkpoint" ? entry.checkpoint.id : entry.change.id} className={`timeline-${entry.kind === "checkpoint" ? entry.checkpoint.kind : "change"}`}>
            <time dateTime={entry.at} title={wholeMoment(entry.at)}>{moment(entry.at)}</time>
            {entry.kind === "checkpoint" ? (
              <Point checkpoint={entry.checkpoint} onRestore={() => setRestoring(asMessage(entry.checkpoint, transcript))} />
            ) : (
              <div className="timeline-body">
                <span className="chip">{t.changes.states[entry.change.state]}</span>
                <span className="timeline-label">{entry.change.origin}: {entry.change.files.map((file) => file.path).join(", ")}</span>
              </div>
            )}
          </li>
        ))}
      </ol>
      {restoring === null ? null : (
        <RestoreDialog session={session} message={restoring} onClose={() => setRestoring(null)} onPrompt={(text) => sessionStorage.setItem(`draft ${session.id}`, text)} />
      )}
    </>
  );
}

function Point({ checkpoint, onRestore }: { checkpoint: CheckpointInfo; onRestore: () => void }): ReactNode {
  return (
    <div className="timeline-body">
      <span className="chip">{t.timeline.kinds[checkpoint.kind] ?? checkpoint.kind}</span>
      <span className="timeline-label">{checkpoint.label}</span>
      {checkpoint.skipped.length > 0 ? <span className="muted small" title={checkpoint.skipped.join("\n")}>{t.timeline.skipped(checkpoint.skipped.length)}</span> : null}
      <span className="mono muted small">{checkpoint.id}</span>
      <button type="button" className="quiet" onClick={onRestore}>{t.restore.here}</button>
    </div>
  );
}

function entriesOf(checkpoints: readonly CheckpointInfo[], changes: readonly ChangeSummary[]): Entry[] {
  const entries: Entry[] = [
    ...checkpoints.map((checkpoint) => ({ kind: "checkpoint" as const, at: checkpoint.created_at, checkpoint })),
    ...changes.map((change) => ({ kind: "change" as const, at: change.created_at, change })),
  ];
  return entries.sort((one, two) => two.at.localeCompare(one.at));
}

/** A checkpoint without a message of the transcript is restored as if it had one. */
function asMessage(checkpoint: CheckpointInfo, transcript: Transcript): Message {
  const known = transcript.messages.find((message) => message.checkpoint === checkpoint.id);
  if (known !== undefined) return known;
  const usage = { prompt: 0, completion: 0, context: 0, estimated: false };
  return { id: checkpoint.id, role: "user", turn: null, text: "", at: checkpoint.created_at, checkpoint: checkpoint.id, parts: [], waiting: null, step: 0, usage, plan: [], agent: "", model: "", sandbox: "", ended: null };
}
