// Every question of the project that waits for a person.

import type { ReactNode } from "react";

import { hashOf } from "../routes.ts";
import { usePage } from "../store.ts";
import { t } from "../strings.ts";
import { ApprovalCard } from "./approval_card.tsx";

export default function Approvals(): ReactNode {
  const project = usePage((page) => page.project);
  const approvals = usePage((page) => page.state.approvals);
  const sessions = usePage((page) => page.state.sessions);
  return (
    <main className="main page" id="content">
      <a className="back" href={hashOf({ view: "home", project: project?.id ?? null })}>← {t.back}</a>
      <h1>{t.approvals.title}</h1>
      {approvals.length === 0 ? <p className="empty">{t.approvals.none}</p> : null}
      {approvals.map((asked) => (
        <div key={asked.approval_id} className="waiting-approval">
          {asked.session === null ? null : (
            <p>
              <a href={hashOf({ view: "session", project: project?.id ?? null, session: asked.session, tab: "transcript" })}>
                {sessions[asked.session]?.title || t.approvals.session}
              </a>
            </p>
          )}
          <ApprovalCard asked={asked} given={null} live />
        </div>
      ))}
    </main>
  );
}
