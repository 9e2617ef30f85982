// The transcript of a session: a virtual list that stays at its end while the reader is there.

import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

import { call } from "../api/client.ts";
import type { Session } from "../api/schema.ts";
import { type Message, runningTurn, type Transcript } from "../reduce.ts";
import { go } from "../routes.ts";
import { loadNewest, loadOlder, putSession, report, say } from "../store.ts";
import { t } from "../strings.ts";
import { compact, moment, wholeMoment } from "../ui/format.ts";
import { Busy, PartView, PromptText, SaidText, Thoughts } from "./parts.tsx";
import { RestoreDialog } from "./restore_dialog.tsx";
import { heightOf, type Row, rowsOf } from "./rows.ts";

/** Nearer than this to the end, the list follows what is added. */
const NEAR = 120;
/** So many messages are in memory while the reader is at the end; older ones are loaded again on the way up. */
const MOST = 120;

function isNearEnd(element: HTMLElement): boolean {
  return element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
}

export function TranscriptView({ session, transcript, onPrompt }: {
  session: Session;
  transcript: Transcript;
  onPrompt: (text: string | null) => void;
}): ReactNode {
  const rows = useMemo(() => rowsOf(transcript.messages), [transcript.messages]);
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const following = useRef(true);
  const [restoring, setRestoring] = useState<Message | null>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    // At the end: rows at the beginning would be drawn only to be left at once.
    initialOffset: () => rows.reduce((height, row) => height + heightOf(row), 0),
    overscan: 6,
    paddingStart: 24,
    paddingEnd: 24,
  });

  const total = list.getTotalSize();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (following.current) element.scrollTop = element.scrollHeight;
    else if (isNearEnd(element)) {
      // What was below is gone, as after a restore: nobody has scrolled, but the end is in view.
      following.current = true;
      setAtEnd(true);
    }
  }, [rows, total]);

  // Older messages are put in above: what the reader looks at stays where it is.
  const first = rows[0]?.key;
  const held = useRef<{ key: string; shift: number } | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    const hold = held.current;
    if (element === null || hold === null || following.current) return;
    const index = rows.findIndex((row) => row.key === hold.key);
    if (index > 0) {
      const offset = list.getOffsetForIndex(index, "start");
      if (offset !== undefined) element.scrollTop = offset[0] + hold.shift;
    }
    held.current = null;
  }, [first]);

  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const near = isNearEnd(element);
    following.current = near;
    if (near !== atEnd) setAtEnd(near);
    if (element.scrollTop < 800 && transcript.older !== null) {
      const item = list.getVirtualItems()[0];
      if (item !== undefined) held.current = { key: String(item.key), shift: element.scrollTop - item.start };
      void loadOlder(session.id);
    }
  };

  useEffect(() => {
    // A short page does not scroll: fetch until it does, or until there is no more.
    const element = scroller.current;
    if (element !== null && transcript.older !== null && element.scrollHeight <= element.clientHeight) {
      void loadOlder(session.id);
    }
  }, [session.id, transcript.older, total]);

  const count = transcript.messages.length;
  useEffect(() => {
    if (atEnd && count > MOST) void loadNewest(session.id);
  }, [session.id, atEnd, count]);

  const onContinue = useCallback(() => {
    call("continueSession", { path: { id: session.id } }).catch(report);
  }, [session.id]);
  const onFork = useCallback(
    (message: Message) => {
      call("forkSession", { path: { id: session.id }, body: { checkpoint_id: message.checkpoint } })
        .then((forked) => {
          putSession(forked);
          say(t.restore.forked);
          go({ view: "session", project: forked.project, session: forked.id, tab: "transcript" });
        })
        .catch(report);
    },
    [session.id],
  );
  const onRestore = useCallback((message: Message) => setRestoring(message), []);
  const last = transcript.messages.at(-1);
  const running = runningTurn(session);

  return (
    <div className="transcript-frame">
      <div ref={scroller} className="transcript" onScroll={onScroll} tabIndex={0} role="log" aria-live="off" aria-label={t.tabs.transcript}>
        {rows.length === 0 ? <p className="empty">{t.session.empty}</p> : null}
        <div className="rows" style={{ height: total }}>
          {list.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={list.measureElement}
                className={`transcript-row row-${row.kind}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div className="column">
                  <RowView
                    row={row}
                    live={running !== null && row.message.turn === running && row.message.ended === null}
                    canContinue={session.can_continue && running === null && row.message === last}
                    onContinue={onContinue}
                    onRestore={onRestore}
                    onFork={onFork}
                  />
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {atEnd ? null : (
        <button
          type="button"
          className="to-end"
          onClick={() => {
            following.current = true;
            list.scrollToIndex(rows.length - 1, { align: "end" });
          }}
        >
          {t.session.newest} ↓
        </button>
      )}
      {restoring === null ? null : (
        <RestoreDialog session={session} message={restoring} onClose={() => setRestoring(null)} onPrompt={onPrompt} />
      )}
    </div>
  );
}

interface RowProps {
  row: Row;
  live: boolean;
  canContinue: boolean;
  onContinue: () => void;
  onRestore: (message: Message) => void;
  onFork: (message: Message) => void;
}

const RowView = memo(function RowView({ row, live, canContinue, onContinue, onRestore, onFork }: RowProps) {
  switch (row.kind) {
    case "text":
      return <SaidText part={row.part} blocks={row.blocks} open={live && row.last} />;
    case "thoughts":
      return <Thoughts part={row.part} live={live} />;
    case "part":
      return <PartView part={row.part} live={live} canContinue={canContinue} onContinue={onContinue} />;
    case "prompt":
      return (
        <article className={row.answered ? "prompt" : "prompt unanswered"} aria-label={t.session.you}>
          <PromptText text={row.message.text} />
          {row.answered ? null : <p className="small muted">{t.restore.unanswered}</p>}
          <Actions message={row.message} onRestore={onRestore} onFork={onFork} />
        </article>
      );
    case "foot":
      return <Foot message={row.message} live={live} canContinue={canContinue} onContinue={onContinue} onRestore={onRestore} onFork={onFork} />;
  }
});

function Actions({ message, onRestore, onFork }: {
  message: Message;
  onRestore: (message: Message) => void;
  onFork: (message: Message) => void;
}): ReactNode {
  return (
    <div className="actions">
      <time dateTime={message.at} title={wholeMoment(message.at)}>{moment(message.at)}</time>
      {message.checkpoint === null ? null : (
        <>
          <button type="button" className="quiet" onClick={() => onRestore(message)}>{t.restore.here}</button>
          <button type="button" className="quiet" onClick={() => onFork(message)}>{t.restore.fork}</button>
        </>
      )}
    </div>
  );
}

function Foot({ message, live, canContinue, onContinue, onRestore, onFork }: Omit<RowProps, "row"> & { message: Message }): ReactNode {
  const { ended, usage } = message;
  if (ended === null) {
    if (!live) return <div className="foot" />;
    const text = message.waiting === null ? t.session.working : t.session.waits(message.waiting);
    return <div className="foot"><Busy text={text} />{message.step > 1 ? <span>{t.session.steps(message.step)}</span> : null}</div>;
  }
  const good = ended.stop_reason === "done";
  const hasBanner = message.parts.some((part) => part.kind === "sentinel" && "can_continue" in part.sentinel.body && part.sentinel.body.can_continue);
  return (
    <div className="foot-block">
      {good || hasBanner ? null : (
        <div className="banner tone-bad" role="note" data-end={ended.stop_reason}>
          <span className="banner-name">{t.ends[ended.stop_reason]}</span>
          <span className="banner-text">{ended.message}</span>
          {canContinue ? <button type="button" className="primary" onClick={onContinue}>{t.session.continue}</button> : null}
        </div>
      )}
      {ended.unresolved.length === 0 ? null : (
        <details className="card tone-warn">
          <summary>
            <span className="card-title">{t.session.unresolved}</span>
            <span className="card-label">{ended.unresolved.length}</span>
          </summary>
          <div className="card-body">
            {ended.unresolved.map((each, index) => (
              <p key={index}><span className="mono">{each.subject}</span> <span className="muted">{each.why} ({t.session.tries(each.tries)})</span></p>
            ))}
          </div>
        </details>
      )}
      <div className="foot">
        <span className={good ? "chip good" : "chip bad"}>{t.ends[ended.stop_reason]}</span>
        <span>{t.session.steps(ended.steps)}</span>
        {usage.prompt === 0 && ended.prompt_tokens === 0 ? null : (
          <span>
            {t.session.tokens(compact(ended.prompt_tokens || usage.prompt), compact(ended.completion_tokens || usage.completion))}
            {usage.estimated ? ` (${t.session.estimated})` : ""}
          </span>
        )}
        {ended.files.length === 0 ? null : <span title={ended.files.join("\n")}>{t.sessions.files(ended.files.length)}</span>}
        <Actions message={message} onRestore={onRestore} onFork={onFork} />
      </div>
    </div>
  );
}
