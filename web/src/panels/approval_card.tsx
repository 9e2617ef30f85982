// A question of a turn, and the answer of a person.

import { type ReactNode, useState } from "react";

import { call, ProblemError } from "../api/client.ts";
import type { ApprovalAsked, ApprovalGiven } from "../api/schema.ts";
import { DiffBlock } from "../changes/diff_rows.tsx";
import { report, say } from "../store.ts";
import { t } from "../strings.ts";
import { languageOf } from "../text/highlight.ts";

type Answer = "once" | "session" | "always" | "deny";
const ORDER: readonly Answer[] = ["once", "session", "always", "deny"];

export function ApprovalCard({ asked, given, live }: {
  asked: ApprovalAsked;
  given: ApprovalGiven | null;
  live: boolean;
}): ReactNode {
  const [reason, setReason] = useState("");
  const [sending, setSending] = useState(false);
  const [elsewhere, setElsewhere] = useState(false);
  const options = asked.options.length > 0 ? ORDER.filter((each) => asked.options.includes(each)) : ORDER;
  const answer = async (wanted: Answer): Promise<void> => {
    setSending(true);
    try {
      await call("answerApproval", { path: { id: asked.approval_id }, body: { answer: wanted, reason } });
    } catch (error) {
      const late = error instanceof ProblemError && (error.problem.status === 409 || error.problem.status === 404);
      setElsewhere(late);
      if (late) say(`${t.approvals.elsewhere} ${error.problem.detail}`, "bad");
      else report(error);
    } finally {
      setSending(false);
    }
  };
  const open = given === null && live;
  return (
    <section className={open ? "approval open" : "approval"} aria-label={t.approvals.asks[asked.what]}>
      <h2>{t.approvals.asks[asked.what]}</h2>
      <pre className="subject" tabIndex={0}>{asked.subject}</pre>
      <Why why={asked.why} subject={asked.subject} />
      {given !== null ? (
        <p className={given.answer === "deny" ? "answered bad" : "answered"}>
          {t.approvals.ends[given.answer]}{given.reason === "" ? "" : `: ${given.reason}`}
        </p>
      ) : elsewhere ? (
        <p className="answered">{t.approvals.elsewhere}</p>
      ) : open ? (
        <div className="answers">
          <label className="field">
            <span>{t.approvals.reason}</span>
            <input value={reason} onChange={(event) => setReason(event.target.value)} maxLength={10000} />
          </label>
          <div className="row">
            {options.map((each) => (
              <button
                key={each}
                type="button"
                disabled={sending}
                className={each === "deny" ? "danger" : each === "once" ? "primary" : ""}
                onClick={() => void answer(each)}
              >
                {t.approvals.answers[each]}
              </button>
            ))}
          </div>
        </div>
      ) : null}
    </section>
  );
}

/** Why it is asked: a diff is drawn as one. */
function Why({ why, subject }: { why: string; subject: string }): ReactNode {
  if (why === "") return null;
  const start = why.search(/^(--- |@@ )/m);
  if (start < 0) return <p className="why">{why}</p>;
  return (
    <>
      {start > 0 ? <p className="why">{why.slice(0, start).trim()}</p> : null}
      <DiffBlock diff={why.slice(start)} language={languageOf(subject)} />
    </>
  );
}
