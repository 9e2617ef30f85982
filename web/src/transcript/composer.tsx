// The message to send, and those that wait.

import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";

import { call } from "../api/client.ts";
import type { Session } from "../api/schema.ts";
import { type Queued, runningTurn } from "../reduce.ts";
import { putSession, report, say } from "../store.ts";
import { t } from "../strings.ts";
import { newId } from "../ui/id.ts";

const LARGEST = 500_000;
const MODES = ["ask", "auto", "review", "plan"] as const;

interface Attached {
  name: string;
  text: string;
}

export function Composer({ session, queue, draft, onDraft }: {
  session: Session;
  queue: readonly Queued[];
  draft: string;
  onDraft: (text: string) => void;
}): ReactNode {
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const [stopping, setStopping] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const name = useRef<string>(newId());
  const turn = runningTurn(session);
  const running = turn !== null;

  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, window.innerHeight * 0.4)}px`;
  }, [draft]);

  const send = async (): Promise<void> => {
    if (draft.trim() === "") return;
    const [text, texts, id] = [draft, attached, name.current];
    // At once: what is typed while the server answers belongs to the next message.
    name.current = newId();
    onDraft("");
    setAttached([]);
    field.current?.focus();
    try {
      const body = { text, attachments: texts.map((each) => ({ ...each })), client_id: id };
      await call("sendMessage", { path: { id: session.id }, body });
    } catch (error) {
      report(error);
      // The same name: a second try after a lost answer starts no second turn.
      name.current = id;
      onDraft(text);
      setAttached(texts);
    }
  };

  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    }
    if (event.key === "Escape") field.current?.blur();
  };

  const attach = async (files: FileList | null): Promise<void> => {
    for (const file of files ?? []) {
      if (file.size > LARGEST) {
        say(t.composer.tooLarge(file.name), "bad");
        continue;
      }
      const text = await file.text();
      setAttached((before) => [...before, { name: file.name, text }]);
    }
    if (picker.current !== null) picker.current.value = "";
  };

  const stop = async (): Promise<void> => {
    if (turn === null) return;
    setStopping(turn);
    try {
      await call("cancelTurn", { path: { id: turn } });
    } catch (error) {
      report(error);
    } finally {
      setStopping(null);
    }
  };

  return (
    <div className="composer-frame">
      <Queue session={session} queue={queue} />
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          ref={field}
          id="composer"
          rows={1}
          aria-label={t.composer.label}
          placeholder={running ? t.composer.placeholderQueue : t.composer.placeholder}
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={onKey}
        />
        {attached.length === 0 ? null : (
          <div className="row attachments">
            {attached.map((each, index) => (
              <span key={index} className="chip">
                {each.name}
                <button type="button" className="quiet" aria-label={t.composer.detach(each.name)} onClick={() => setAttached(attached.filter((_, other) => other !== index))}>✕</button>
              </span>
            ))}
          </div>
        )}
        <div className="composer-foot">
          <input ref={picker} type="file" multiple hidden aria-hidden="true" tabIndex={-1} onChange={(event) => void attach(event.target.files)} />
          <button type="button" className="quiet icon" aria-label={t.composer.attach} title={t.composer.attach} onClick={() => picker.current?.click()}>
            <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d="M14.5 9.2 9 14.7a3.2 3.2 0 0 1-4.5-4.5l6-6a2.2 2.2 0 0 1 3.1 3.1l-5.8 5.8a1.1 1.1 0 0 1-1.6-1.6l5-5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" /></svg>
          </button>
          <ModeSelect session={session} />
          <span className="grow" />
          {running ? (
            <button type="button" className="stop" disabled={stopping !== null} onClick={() => void stop()}>
              {stopping === null ? t.session.stop : t.session.stopping}
            </button>
          ) : null}
          <button type="submit" className="primary" disabled={draft.trim() === ""}>
            {running ? t.composer.queue : t.composer.send}
          </button>
        </div>
      </form>
    </div>
  );
}

function ModeSelect({ session }: { session: Session }): ReactNode {
  const change = (mode: string): void => {
    const chosen = MODES.find((each) => each === mode) ?? null;
    call("updateSession", { path: { id: session.id }, body: { mode: chosen } }).then(putSession).catch(report);
  };
  return (
    <select className="quiet" aria-label={t.composer.mode} value={session.mode ?? "ask"} onChange={(event) => change(event.target.value)}>
      {MODES.map((mode) => <option key={mode} value={mode}>{t.composer.modes[mode]}</option>)}
    </select>
  );
}

function Queue({ session, queue }: { session: Session; queue: readonly Queued[] }): ReactNode {
  if (queue.length === 0) return null;
  return (
    <section className="queue" aria-label={t.composer.queueTitle}>
      {queue.map((queued) => <QueuedItem key={queued.id} session={session} queued={queued} />)}
    </section>
  );
}

function QueuedItem({ session, queued }: { session: Session; queued: Queued }): ReactNode {
  const [editing, setEditing] = useState<string | null>(null);
  const path = { id: session.id, messageId: queued.id };
  useEffect(() => setEditing(null), [queued.text]);
  const save = (): void => {
    if (editing === null || editing.trim() === "") return;
    call("editQueued", { path, body: { text: editing } }).then(() => setEditing(null)).catch(report);
  };
  if (editing !== null) {
    return (
      <form className="queued" onSubmit={(event) => { event.preventDefault(); save(); }}>
        <textarea autoFocus aria-label={t.composer.edit} value={editing} onChange={(event) => setEditing(event.target.value)} />
        <div className="row">
          <button type="button" className="quiet" onClick={() => setEditing(null)}>{t.cancel}</button>
          <button type="submit" className="primary">{t.save}</button>
        </div>
      </form>
    );
  }
  return (
    <div className="queued">
      <div className="queued-text">
        {queued.text}
        {queued.attachments.map((name) => <span key={name} className="chip">{name}</span>)}
        {queued.refused ? <p className="bad-text">{t.composer.refused}: {queued.why}</p> : null}
      </div>
      <div className="row">
        <button type="button" className="quiet" onClick={() => setEditing(queued.text)}>{t.composer.edit}</button>
        <button type="button" className="quiet" title={t.composer.sendNowHint} onClick={() => call("sendQueuedNow", { path }).catch(report)}>{t.composer.sendNow}</button>
        <button type="button" className="quiet" onClick={() => call("removeQueued", { path }).catch(report)}>{t.remove}</button>
      </div>
    </div>
  );
}
