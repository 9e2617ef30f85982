// The files that a session has read and modified.

import type { ReactNode } from "react";

import { call } from "../api/client.ts";
import type { Session } from "../api/schema.ts";
import { usePage } from "../store.ts";
import { t } from "../strings.ts";
import { useLoaded } from "../ui/load.ts";

export default function Ledger({ session }: { session: Session }): ReactNode {
  const changed = usePage((page) => page.state.changed.checkpoints + page.state.changed.changes);
  const ledger = useLoaded(`${session.id} ${changed}`, () => call("getLedger", { path: { id: session.id } }));
  if (ledger.problem !== "") return <p className="problem" role="alert">{ledger.problem}</p>;
  if (ledger.value === null) return <p className="empty">{t.loading}</p>;
  const { read, modified } = ledger.value;
  if (read.length + modified.length === 0) return <p className="empty">{t.ledger.none}</p>;
  return (
    <div className="ledger">
      <Paths title={t.ledger.modified} paths={modified} />
      <Paths title={t.ledger.read} paths={read} />
    </div>
  );
}

function Paths({ title, paths }: { title: string; paths: readonly string[] }): ReactNode {
  if (paths.length === 0) return null;
  return (
    <section>
      <h2>{title} <span className="count">{paths.length}</span></h2>
      <ul className="paths">{paths.map((path) => <li key={path} className="mono">{path}</li>)}</ul>
    </section>
  );
}
