// Restore to here: what would happen, what to keep, and what was done.

import { type ReactNode, useState } from "react";

import { call } from "../api/client.ts";
import type { RestoreDone, Session } from "../api/schema.ts";
import type { Message } from "../reduce.ts";
import { openTranscript, report, say } from "../store.ts";
import { t } from "../strings.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useLoaded } from "../ui/load.ts";

type Scope = "both" | "files" | "conversation";
const SCOPES: readonly Scope[] = ["both", "files", "conversation"];

export function RestoreDialog({ session, message, onClose, onPrompt }: {
  session: Session;
  message: Message;
  onClose: () => void;
  /** Receives the prompt to send again; null when the restore is undone. */
  onPrompt: (text: string | null) => void;
}): ReactNode {
  const checkpoint = message.checkpoint ?? "";
  const path = { sessionId: session.id, checkpointId: checkpoint };
  const [scope, setScope] = useState<Scope>("both");
  const [keep, setKeep] = useState<ReadonlySet<string>>(new Set());
  const [working, setWorking] = useState(false);
  const [done, setDone] = useState<RestoreDone | null>(null);
  const preview = useLoaded(`${checkpoint} ${scope}`, () => call("previewRestore", { path, query: { scope } }));

  const restore = async (): Promise<void> => {
    setWorking(true);
    try {
      const kept = scope === "conversation" ? [] : [...keep];
      const result = await call("restoreCheckpoint", { path, body: { scope, keep: kept } });
      setDone(result);
      if (result.prompt !== null) onPrompt(result.prompt);
    } catch (error) {
      report(error);
    } finally {
      setWorking(false);
    }
  };

  if (done !== null) {
    return (
      <Dialog title={t.restore.doneTitle} onClose={onClose}>
        <Facts done={done} />
        <footer>
          <button type="button" onClick={() => void undoRestore(session.id, onPrompt).then(onClose)}>{t.restore.undo}</button>
          <button type="button" className="primary" onClick={onClose} autoFocus>{t.close}</button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={t.restore.title} onClose={onClose} wide>
      <p>{t.restore.lead}</p>
      <fieldset className="choices">
        <legend>{t.restore.scope}</legend>
        {SCOPES.map((each) => (
          <label key={each} className={each === scope ? "choice chosen" : "choice"}>
            <input type="radio" name="scope" checked={each === scope} onChange={() => setScope(each)} />
            {t.restore.scopes[each]}
          </label>
        ))}
      </fieldset>
      {preview.problem === "" ? null : <p className="problem" role="alert">{preview.problem}</p>}
      {preview.value === null ? (preview.problem === "" ? <p className="muted">{t.loading}</p> : null) : (
        <div className="preview">
          {preview.value.will_stop_turn ? <p className="banner tone-warn">{t.restore.stopsTurn}</p> : null}
          {scope === "conversation" ? null : (
            <>
              <h3>{preview.value.files.length === 0 ? t.restore.noFiles : t.restore.files(preview.value.files.length)}</h3>
              <ul className="files">
                {preview.value.files.map((file) => (
                  <li key={file.path}>
                    <span className="chip">{file.status}</span>
                    <span className="mono grow">{file.path}</span>
                    <span className={file.by === "other" ? "chip warn" : "muted small"}>{t.restore.by[file.by]}</span>
                    <label className="keep">
                      <input
                        type="checkbox"
                        aria-label={t.restore.keepLabel(file.path)}
                        checked={keep.has(file.path)}
                        onChange={() => setKeep(toggled(keep, file.path))}
                      />
                      {t.restore.keep}
                    </label>
                  </li>
                ))}
              </ul>
            </>
          )}
          {scope === "files" ? null : <h3>{preview.value.messages === 0 ? t.restore.noMessages : t.restore.messages(preview.value.messages)}</h3>}
        </div>
      )}
      <footer>
        <button type="button" onClick={onClose}>{t.cancel}</button>
        <button type="button" className="primary" disabled={working || preview.value === null} onClick={() => void restore()}>
          {t.restore.go}
        </button>
      </footer>
    </Dialog>
  );
}

export async function undoRestore(session: string, onPrompt: (text: null) => void): Promise<void> {
  try {
    await call("undoRestore", { path: { id: session } });
    onPrompt(null);
    await openTranscript(session);
    say(t.restore.undone);
  } catch (error) {
    report(error);
  }
}

function Facts({ done }: { done: RestoreDone }): ReactNode {
  const facts = t.restore.facts;
  return (
    <ul className="facts">
      <li>{done.worktree_reset ? facts.worktree : facts.noWorktree}</li>
      {done.messages_deleted > 0 ? <li>{facts.messages(done.messages_deleted)}</li> : null}
      {done.messages_brought_back > 0 ? <li>{facts.brought(done.messages_brought_back)}</li> : null}
      {done.backend_reset ? <li>{facts.backend}</li> : null}
      {done.kept.length > 0 ? <li>{facts.kept(done.kept.join(", "))}</li> : null}
      {done.lost.length > 0 ? <li className="bad-text">{facts.lost(done.lost.join(", "))}</li> : null}
      {done.notes.map((note, index) => <li key={index}>{note}</li>)}
      {done.prompt === null ? null : <li>{t.restore.prompt}</li>}
    </ul>
  );
}

function toggled(set: ReadonlySet<string>, path: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(path)) next.add(path);
  return next;
}
