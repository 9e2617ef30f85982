// A new session: agent, model, mode, place.

import { type ReactNode, useState } from "react";

import { call } from "../api/client.ts";
import { go, hashOf } from "../routes.ts";
import { putSession, report, usePage } from "../store.ts";
import { t } from "../strings.ts";
import { useLoaded } from "../ui/load.ts";

const MODES = ["ask", "auto", "review", "plan"] as const;
const PLACES = ["in_place", "worktree"] as const;

export default function NewSession(): ReactNode {
  const project = usePage((page) => page.project);
  const id = project?.id ?? null;
  const agents = useLoaded(`agents ${id}`, () => call("listAgents", { query: { project: id } }));
  const models = useLoaded(`models ${id}`, () => call("listModels", { query: { project: id } }));
  const [title, setTitle] = useState("");
  const [agent, setAgent] = useState("holdfast");
  const [model, setModel] = useState("");
  const [mode, setMode] = useState<(typeof MODES)[number]>("ask");
  const [place, setPlace] = useState<(typeof PLACES)[number] | null>(null);
  const [withChanges, setWithChanges] = useState(false);
  const [working, setWorking] = useState(false);
  const external = agent !== "holdfast";
  const where = place ?? (external && project?.git ? "worktree" : "in_place");

  const begin = async (): Promise<void> => {
    setWorking(true);
    try {
      const session = await call("createSession", {
        body: {
          project: id,
          title: title.trim(),
          agent,
          model: model === "" ? null : model,
          mode,
          place: where,
          with_changes: where === "worktree" && withChanges,
        },
      });
      putSession(session);
      go({ view: "session", project: session.project, session: session.id, tab: "transcript" });
    } catch (error) {
      report(error);
      setWorking(false);
    }
  };

  return (
    <main className="main page" id="content">
      <a className="back" href={hashOf({ view: "home", project: id })}>← {t.back}</a>
      <h1>{t.newSession.title}</h1>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <label className="field">
          <span>{t.newSession.name}</span>
          <input value={title} maxLength={500} placeholder={t.newSession.namePlaceholder} onChange={(event) => setTitle(event.target.value)} autoFocus />
        </label>
        <label className="field">
          <span>{t.newSession.agent}</span>
          <select value={agent} onChange={(event) => setAgent(event.target.value)}>
            {(agents.value?.agents ?? [{ name: "holdfast", installed: true }]).map((each) => (
              <option key={each.name} value={each.name} disabled={!each.installed}>
                {each.name}{each.installed ? "" : ` (${t.newSession.notInstalled})`}
              </option>
            ))}
          </select>
        </label>
        {external ? null : (
          <label className="field">
            <span>{t.newSession.model}</span>
            <select value={model} onChange={(event) => setModel(event.target.value)}>
              <option value="">{models.value?.model ? `${t.newSession.bestModel}: ${models.value.model}` : t.newSession.bestModel}</option>
              {models.value?.models.map((each) => <option key={each} value={each}>{each}</option>)}
            </select>
            {models.value?.problem ? <span className="problem">{models.value.problem}</span> : null}
          </label>
        )}
        <Choices legend={t.newSession.mode} name="mode" options={MODES} labels={t.newSession.modes} value={mode} onChange={setMode} />
        <Choices legend={t.newSession.place} name="place" options={project?.git ? PLACES : ["in_place"]} labels={t.newSession.places} value={where} onChange={setPlace} />
        {where === "worktree" ? (
          <label className="check">
            <input type="checkbox" checked={withChanges} onChange={(event) => setWithChanges(event.target.checked)} />
            {t.newSession.withChanges}
          </label>
        ) : null}
        <footer>
          <button type="submit" className="primary" disabled={working}>{t.newSession.begin}</button>
        </footer>
      </form>
    </main>
  );
}

function Choices<Option extends string>({ legend, name, options, labels, value, onChange }: {
  legend: string;
  name: string;
  options: readonly Option[];
  labels: Record<Option, string>;
  value: Option;
  onChange: (option: Option) => void;
}): ReactNode {
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option} className={option === value ? "choice chosen" : "choice"}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          {labels[option]}
        </label>
      ))}
    </fieldset>
  );
}
