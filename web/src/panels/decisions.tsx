// What repairs decided: those that are not pinned first.

import { type ReactNode, useState } from "react";

import { call } from "../api/client.ts";
import type { Decision } from "../api/schema.ts";
import { DiffBlock } from "../changes/diff_rows.tsx";
import { hashOf } from "../routes.ts";
import { report, usePage } from "../store.ts";
import { t } from "../strings.ts";
import { languageOf } from "../text/highlight.ts";
import { Ask } from "../ui/ask.tsx";
import { useLoaded } from "../ui/load.ts";

export default function Decisions(): ReactNode {
  const project = usePage((page) => page.project?.id ?? null);
  const changed = usePage((page) => page.state.changed.decisions);
  const decisions = useLoaded(`${project} ${changed}`, () => call("listDecisions", { query: { project } }));
  const [pinning, setPinning] = useState<Decision | null>(null);
  const pin = (decision: Decision, reason: string): void => {
    call("pinDecision", { path: { id: decision.id }, query: { project }, body: { reason } }).then(decisions.reload).catch(report);
  };
  const unpin = (decision: Decision): void => {
    call("unpinDecision", { path: { id: decision.id }, query: { project } }).then(decisions.reload).catch(report);
  };
  return (
    <main className="main page" id="content">
      <a className="back" href={hashOf({ view: "home", project })}>← {t.back}</a>
      <h1>{t.decisions.title}</h1>
      <p className="lead">{t.decisions.lead}</p>
      {decisions.problem === "" ? null : <p className="problem" role="alert">{decisions.problem}</p>}
      {decisions.value?.problems.map((problem) => <p key={problem} className="problem">{problem}</p>)}
      {decisions.value?.decisions.length === 0 ? <p className="empty">{t.decisions.none}</p> : null}
      {decisions.value?.decisions.map((decision) => (
        <article key={decision.id} className="decision">
          <header>
            <h2 className="mono">{decision.path || decision.module}</h2>
            <span className={decision.verdict === "accepted" ? "chip good" : "chip bad"}>{decision.verdict}</span>
            {decision.pinned ? <span className="chip">{t.decisions.pinned}{decision.pin_reason ? `: ${decision.pin_reason}` : ""}</span> : null}
            <span className="grow" />
            {decision.pinned
              ? <button type="button" onClick={() => unpin(decision)}>{t.decisions.unpin}</button>
              : <button type="button" className="primary" onClick={() => setPinning(decision)}>{t.decisions.pin}</button>}
          </header>
          <p>{decision.choice}</p>
          {decision.detail === "" ? null : <p className="muted">{decision.detail}</p>}
          <p className="muted small">
            {decision.decision_type} · {decision.model_id}
            {decision.confidence === null ? "" : ` · ${t.decisions.confidence(decision.confidence)}`}
          </p>
          {decision.reasoning === "" ? null : <details><summary>{t.decisions.reasoning}</summary><p>{decision.reasoning}</p></details>}
          {decision.diff === "" ? null : <details><summary>{t.decisions.diff}</summary><DiffBlock diff={decision.diff} language={languageOf(decision.path)} /></details>}
        </article>
      ))}
      {pinning === null ? null : (
        <Ask title={t.decisions.pin} label={t.decisions.reason} action={t.decisions.pin} onAnswer={(reason) => pin(pinning, reason)} onClose={() => setPinning(null)} />
      )}
    </main>
  );
}
