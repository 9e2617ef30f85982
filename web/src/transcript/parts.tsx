// The parts of an answer. Every kind of part has its renderer: a kind without one does not compile.

import { memo, type ReactNode, useState } from "react";

import type { EditLanded, EditObserved, EditRefused, Sentinel } from "../api/schema.ts";
import { ApprovalCard } from "../panels/approval_card.tsx";
import { countOf } from "../changes/diff.ts";
import { DiffBlock } from "../changes/diff_rows.tsx";
import type { AgentCallPart, CallPart, EditsPart, NotePart, Part, RepairPart, SaidPart } from "../reduce.ts";
import { hashOf } from "../routes.ts";
import { usePage } from "../store.ts";
import { t } from "../strings.ts";
import { languageOf } from "../text/highlight.ts";
import { splitBlocks } from "../text/blocks.ts";
import { MarkdownBlocks } from "../text/markdown.tsx";
import { groupBlocks, PROMPT } from "./rows.ts";

export interface PartContext {
  /** The turn runs: what is open may still grow. */
  live: boolean;
  canContinue: boolean;
  onContinue: () => void;
}

/** What was said is cut into rows of its own: `SaidText`, `Thoughts`. */
export type CardPart = Exclude<Part, SaidPart>;
type Renderers = { [Kind in CardPart["kind"]]: (part: Extract<Part, { kind: Kind }>, context: PartContext) => ReactNode };

const RENDERERS: Renderers = {
  call: (part, { live }) => <Call part={part} live={live} />,
  agent_call: (part) => <AgentsCall part={part} />,
  edits: (part) => <Edits part={part} />,
  command: (part) => (
    <Card title={part.command.command} mono tone={part.command.exit_code === 0 ? "plain" : "warn"} label={t.calls.exit(part.command.exit_code)}>
      <Output text={part.command.output} />
    </Card>
  ),
  approval: (part, { live }) => <ApprovalCard asked={part.asked} given={part.given} live={live} />,
  sentinel: (part, context) => <SentinelBanner sentinel={part.sentinel} context={context} />,
  repair: (part) => <Repairs part={part} />,
  note: (part) => <Note part={part} />,
};

export const PartView = memo(function PartView({ part, live, canContinue, onContinue }: PartContext & { part: CardPart }) {
  const render = RENDERERS[part.kind] as (part: CardPart, context: PartContext) => ReactNode;
  return render(part, { live, canContinue, onContinue });
});

/** A part of what was said, as rows.ts cuts it. */
export function SaidText({ part, blocks, open }: { part: SaidPart; blocks: readonly string[]; open: boolean }): ReactNode {
  return <MarkdownBlocks owner={part} blocks={blocks} open={open && !part.settled} />;
}

/** Folded; what nobody has opened is not parsed. */
export function Thoughts({ part, live }: { part: SaidPart; live: boolean }): ReactNode {
  const [unfolded, setUnfolded] = useState(false);
  const open = live && !part.settled;
  return (
    <details className="thoughts" onToggle={(event) => setUnfolded(event.currentTarget.open)}>
      <summary>{open && part.text === "" ? t.session.thinking : t.session.thoughts}</summary>
      {unfolded ? <LongText owner={part} text={part.reasoning} open={open} /> : null}
    </details>
  );
}

/** A text outside of the rows of the list: a bounded part of it at once, more when it is asked for. */
function LongText({ owner, text, open }: { owner: object; text: string; open: boolean }): ReactNode {
  const [count, setCount] = useState(GROUPS);
  const groups = groupBlocks(splitBlocks(text));
  const shown = groups.slice(0, count);
  return (
    <>
      <MarkdownBlocks owner={owner} blocks={shown.flat()} open={open && shown.length === groups.length} />
      {shown.length === groups.length ? null : <button type="button" className="quiet" onClick={() => setCount(count + GROUPS)}>{t.showMore}</button>}
    </>
  );
}

const GROUPS = 5;

/** A prompt as it was written: a bounded part of it at once, more when it is asked for. */
export function PromptText({ text }: { text: string }): ReactNode {
  const [size, setSize] = useState(PROMPT);
  return (
    <div className="prompt-text">
      {text.slice(0, size)}
      {text.length <= size ? null : <button type="button" className="quiet" onClick={() => setSize(size + PROMPT)}>{t.showMore}</button>}
    </div>
  );
}

// -------------------------------------------------------------------------------------------------------- calls

type Tone = "plain" | "good" | "bad" | "warn" | "live";

function Card({ title, tone, label, children, mono = false, open = false }: {
  title: ReactNode;
  tone: Tone;
  label: ReactNode;
  children?: ReactNode;
  mono?: boolean;
  open?: boolean;
}): ReactNode {
  return (
    <details className={`card tone-${tone}`} open={open}>
      <summary>
        <span className={mono ? "card-title mono" : "card-title"}>{title}</span>
        <span className="card-label">{label}</span>
      </summary>
      <div className="card-body">{children}</div>
    </details>
  );
}

function Call({ part, live }: { part: CallPart; live: boolean }): ReactNode {
  const { call, ended } = part;
  const failed = ended !== null && ended.failure !== null;
  const refused = part.refused.length > 0;
  const status = callStatus(part, live);
  return (
    <Card
      title={<><b>{call.name}</b> <span className="mono">{subjectOf(call.arguments)}</span></>}
      tone={toneOf(part, live)}
      label={status}
      open={part.landed.length > 0 || refused || part.commands.some((each) => each.exit_code !== 0)}
    >
      {call.note === null ? null : <p className="muted">{t.calls.corrected}: {call.note}</p>}
      {part.refused.map((event, index) => <Refusal key={index} event={event} />)}
      {part.landed.map((event, index) => <Landing key={index} event={event} />)}
      {part.commands.map((event, index) => <Output key={index} text={event.output} />)}
      {part.landed.length + part.commands.length > 0 || refused ? null : (
        <>
          <Fold title={t.calls.arguments} text={JSON.stringify(call.arguments, null, 1)} />
          {ended === null ? null : <Output text={ended.text} title={failed ? t.calls.answer : t.calls.output} />}
        </>
      )}
    </Card>
  );
}

function callStatus(part: CallPart, live: boolean): ReactNode {
  if (part.ended === null) return live ? <Busy text={t.calls.running} /> : "";
  if (part.refused.length > 0) return t.calls.refused;
  if (part.ended.failure !== null) return t.calls.failures[part.ended.failure];
  const command = part.commands[0];
  if (command !== undefined) return t.calls.exit(command.exit_code);
  if (part.landed.length > 0) return <Counts diffs={part.landed.map((each) => each.diff)} />;
  return t.calls.done;
}

function toneOf(part: CallPart, live: boolean): Tone {
  if (part.ended === null) return live ? "live" : "plain";
  if (part.refused.length > 0 || part.ended.failure !== null) return "bad";
  if (part.commands.some((each) => each.exit_code !== 0)) return "warn";
  return part.landed.length > 0 ? "good" : "plain";
}

/** Return what a call is about: its path, command or pattern. */
function subjectOf(input: Record<string, unknown>): string {
  for (const name of ["path", "command", "pattern", "query", "file"]) {
    const value = input[name];
    if (typeof value === "string") return value.split("\n")[0] ?? "";
  }
  const first = Object.values(input).find((value) => typeof value === "string");
  return typeof first === "string" ? (first.split("\n")[0] ?? "").slice(0, 80) : "";
}

function AgentsCall({ part }: { part: AgentCallPart }): ReactNode {
  const { call } = part;
  const tones: Record<typeof call.status, Tone> = { pending: "live", running: "live", done: call.diff ? "good" : "plain", failed: "bad" };
  const busy = call.status === "running" || call.status === "pending";
  const label = busy ? <Busy text={t.calls[call.status]} /> : call.diff ? <Counts diffs={[call.diff]} /> : t.calls[call.status];
  return (
    <Card title={<><b>{call.tool_kind}</b> <span className="mono">{call.title}</span></>} tone={tones[call.status]} label={label} open={call.diff !== ""}>
      {call.diff === "" ? null : <DiffBlock diff={call.diff} language={languageOf(call.paths[0] ?? "")} />}
      {call.text === "" ? null : <Output text={call.text} />}
    </Card>
  );
}

function Edits({ part }: { part: EditsPart }): ReactNode {
  return (
    <>
      {part.refused.map((event, index) => (
        <Card key={`r${index}`} title={<span className="mono">{event.path}</span>} tone="bad" label={t.calls.refused} open>
          <Refusal event={event} />
        </Card>
      ))}
      {part.landed.map((event, index) => (
        <Card key={`l${index}`} title={<span className="mono">{event.path}</span>} tone="good" label={<Counts diffs={[event.diff]} />} open>
          <Landing event={event} />
        </Card>
      ))}
      {part.observed.length === 0 ? null : <Observed events={part.observed} />}
    </>
  );
}

function Observed({ events }: { events: readonly EditObserved[] }): ReactNode {
  const by = events[0]?.by ?? "outside";
  return (
    <Card title={t.calls.observed[by]} tone="plain" label={<Counts diffs={events.map((each) => each.diff)} />}>
      {events.map((event, index) => (
        <div key={index} className="landing">
          <p><span className="mono">{event.path}</span> <span className="muted">{t.calls.actions[event.action]} {event.to === null ? "" : t.calls.to(event.to)}</span></p>
          <DiffBlock diff={event.diff} language={languageOf(event.path)} />
        </div>
      ))}
    </Card>
  );
}

function Landing({ event }: { event: EditLanded }): ReactNode {
  const exact = event.rung === "exact";
  return (
    <div className="landing">
      <p>
        <span className="mono">{event.path}</span>{" "}
        <span className="muted">
          {t.calls.actions[event.action]} {event.to === null ? "" : t.calls.to(event.to)} ·{" "}
        </span>
        <span className={exact ? "rung" : "rung loose"}>
          {t.calls.rungs[event.rung]}{exact ? "" : `, ${t.calls.similarity(event.similarity)}`}
        </span>
        {event.proposed ? <ReviewLink session={event.session} /> : null}
      </p>
      <DiffBlock diff={event.diff} language={languageOf(event.path)} />
    </div>
  );
}

/** Leads to the changes of the session: whether this one was accepted meanwhile is said there. */
function ReviewLink({ session }: { session: string | null }): ReactNode {
  const project = usePage((page) => page.project?.id ?? null);
  if (session === null) return <span className="chip warn">{t.calls.proposed}</span>;
  return <a className="chip warn" href={hashOf({ view: "session", project, session, tab: "changes" })}>{t.calls.proposed}</a>;
}

function Refusal({ event }: { event: EditRefused }): ReactNode {
  return (
    <p className="refusal">
      <span className="chip bad">{event.reason.replaceAll("_", " ")}</span> {event.message}
    </p>
  );
}

function Counts({ diffs }: { diffs: readonly string[] }): ReactNode {
  let added = 0;
  let removed = 0;
  for (const diff of diffs) {
    const count = countOf(diff);
    added += count.added;
    removed += count.removed;
  }
  return (
    <span className="counts" role="img" aria-label={t.changes.lines(added, removed)}>
      <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
    </span>
  );
}

export function Busy({ text }: { text: string }): ReactNode {
  return <span className="busy"><span className="spinner" aria-hidden="true" />{text}</span>;
}

function Output({ text, title }: { text: string; title?: string }): ReactNode {
  if (text.trim() === "") return null;
  return (
    <>
      {title === undefined ? null : <p className="small muted">{title}</p>}
      <pre className="output" tabIndex={0}>{text.trimEnd()}</pre>
    </>
  );
}

function Fold({ title, text }: { title: string; text: string }): ReactNode {
  if (text === "{}") return null;
  return <Output title={title} text={text} />;
}

function Repairs({ part }: { part: RepairPart }): ReactNode {
  const failed = part.repairs.filter((each) => !each.success);
  return (
    <Card title={t.calls.repair} tone={failed.length > 0 ? "warn" : "plain"} label={part.repairs[0]?.outcome ?? ""} open={failed.length > 0}>
      {part.repairs.map((each, index) => (
        <p key={index}>
          {each.path === "" ? null : <span className="mono">{each.path} </span>}
          {each.message}
          {each.rule_ids.map((rule) => <span key={rule} className="chip">{rule}</span>)}
        </p>
      ))}
    </Card>
  );
}

function Note({ part }: { part: NotePart }): ReactNode {
  const text = t.notes[part.note](part.text);
  if (part.body === "") return <p className="note">{text}</p>;
  return (
    <details className="note">
      <summary>{text}</summary>
      <pre className="output" tabIndex={0}>{part.body}</pre>
    </details>
  );
}

// ---------------------------------------------------------------------------------------------------- sentinels

const SENTINEL_TONES: { [Kind in Sentinel["kind"]]: (body: Extract<Sentinel, { kind: Kind }>["body"]) => Tone } = {
  mistake_recovery: (body) => (body.escalated ? "bad" : "warn"),
  doom_loop: (body) => (body.escalated ? "bad" : "warn"),
  cap_hit: () => "bad",
  compaction: () => "plain",
  compaction_off: () => "warn",
  chant: () => "warn",
  interrupted: () => "bad",
  needs_approval: () => "bad",
};

function SentinelBanner({ sentinel, context }: { sentinel: Sentinel; context: PartContext }): ReactNode {
  const tone = (SENTINEL_TONES[sentinel.kind] as (body: Sentinel["body"]) => Tone)(sentinel.body);
  const offers = "can_continue" in sentinel.body && sentinel.body.can_continue && context.canContinue;
  return (
    <div className={`banner tone-${tone}`} role="note" data-sentinel={sentinel.kind}>
      <span className="banner-name">{t.sentinels[sentinel.kind]}</span>
      <span className="banner-text">{sentinel.text}</span>
      {offers ? <button type="button" className="primary" onClick={context.onContinue}>{t.session.continue}</button> : null}
    </div>
  );
}
