// Models and agents that were found, what is missing and how to get it, and every setting with its source.

import type { ReactNode } from "react";

import { call } from "../api/client.ts";
import { hashOf } from "../routes.ts";
import { usePage } from "../store.ts";
import { t } from "../strings.ts";
import { useLoaded } from "../ui/load.ts";

export default function Settings(): ReactNode {
  const project = usePage((page) => page.project?.id ?? null);
  const settings = useLoaded(`settings ${project}`, () => call("getSettings", { query: { project } }));
  const models = useLoaded(`models ${project}`, () => call("listModels", { query: { project } }));
  const agents = useLoaded(`agents ${project}`, () => call("listAgents", { query: { project } }));
  return (
    <main className="main page" id="content">
      <a className="back" href={hashOf({ view: "home", project })}>← {t.back}</a>
      <h1>{t.settings.title}</h1>
      <section className="sheet">
        <h2>{t.settings.models}</h2>
        {models.value === null ? <p className="muted">{models.problem || t.loading}</p> : (
          <>
            {models.value.problem === "" ? null : <p className="banner tone-warn">{models.value.problem}</p>}
            <dl className="pairs">
              <dt>{t.settings.model}</dt><dd className="mono">{models.value.model ?? t.settings.noModel}</dd>
              <dt>{t.settings.server}</dt><dd className="mono">{models.value.base_url ?? t.settings.unset}</dd>
              <dt>{t.settings.models}</dt><dd className="mono">{models.value.models.join(", ") || t.settings.unset}</dd>
            </dl>
          </>
        )}
      </section>
      <section className="sheet">
        <h2>{t.settings.agents}</h2>
        {agents.value === null ? <p className="muted">{agents.problem || t.loading}</p> : (
          <ul className="agents">
            {agents.value.agents.map((agent) => (
              <li key={agent.name}>
                <b>{agent.name}</b>
                <span className={agent.installed ? "chip good" : "chip"}>{agent.installed ? t.settings.installed : t.settings.missing}</span>
                <span className="muted small">{[agent.version, agent.transports.join(", ")].filter(Boolean).join(" · ")}</span>
                {agent.installed
                  ? agent.login === "" ? null : <span className="small">{t.settings.login}: {agent.login}</span>
                  : agent.install === "" ? null : <code className="install">{agent.install}</code>}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="sheet">
        <h2>{t.settings.sandbox}</h2>
        {settings.value === null ? <p className="muted">{settings.problem || t.loading}</p> : (
          <p>{settings.value.sandbox.kind === "none" ? t.settings.none : t.settings.sandboxKind(settings.value.sandbox.kind)} {settings.value.sandbox.why}</p>
        )}
      </section>
      <section className="sheet">
        <h2>{t.settings.all}</h2>
        {settings.value === null ? null : (
          <>
            <p className="muted small">{t.settings.file}: <span className="mono">{settings.value.user_file}</span></p>
            <div className="table-scroll" tabIndex={0} role="group" aria-label={t.settings.all}>
              <table>
                <thead><tr><th scope="col">{t.settings.name}</th><th scope="col">{t.settings.value}</th><th scope="col">{t.settings.source}</th></tr></thead>
                <tbody>
                  {Object.entries(settings.value.settings).map(([name, setting]) => (
                    <tr key={name}>
                      <th scope="row"><span className="mono">{name}</span><span className="muted small">{setting.help}</span></th>
                      <td className="mono">{valueOf(setting.value, setting.set)}</td>
                      <td className="muted">{setting.source}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </section>
    </main>
  );
}

function valueOf(value: unknown, set: boolean): string {
  if (value === null || value === undefined) return set ? t.settings.secret : t.settings.unset;
  if (Array.isArray(value)) return value.length === 0 ? t.settings.unset : value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
