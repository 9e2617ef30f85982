// Calls of the server, by the operations of its OpenAPI document.

import { type Operations, operations, type Problem } from "./schema.ts";

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
  }
}

type Input<Name extends keyof Operations> = Omit<Operations[Name], "answer">;

/** Call an operation and return its answer, or throw a `ProblemError`. */
export async function call<Name extends keyof Operations>(
  name: Name,
  input: Input<Name>,
): Promise<Operations[Name]["answer"]> {
  const [method, template] = operations[name];
  const { path = {}, query = {}, body } = input as {
    path?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
  };
  let answer: Response;
  try {
    answer = await fetch(address(template, path, query), {
      method,
      cache: "no-store",
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  } catch {
    throw new ProblemError(unreachable());
  }
  const text = await answer.text();
  if (!answer.ok) throw new ProblemError(problemOf(answer, text));
  return (text === "" ? undefined : JSON.parse(text)) as Operations[Name]["answer"];
}

/** Return the sentence for a person of anything that was thrown, and the next step if the server named one. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ProblemError) {
    return [error.problem.detail || error.problem.title, error.problem.hint].filter(Boolean).join(" ");
  }
  return error instanceof Error ? error.message : String(error);
}

function address(template: string, path: Record<string, string>, query: Record<string, unknown>): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") words.set(name, String(value));
  }
  const asked = words.toString();
  return asked === "" ? filled : `${filled}?${asked}`;
}

function problemOf(answer: Response, text: string): Problem {
  try {
    const problem = JSON.parse(text) as Problem;
    if (typeof problem.title === "string") return problem;
  } catch {
    // Not a problem of ours: a proxy, perhaps.
  }
  return { ...unreachable(), title: answer.statusText, status: answer.status, detail: text.slice(0, 300) };
}

function unreachable(): Problem {
  return {
    title: "No answer",
    status: 0,
    detail: "The server does not answer.",
    hint: "See whether `holdfast serve` still runs.",
    code: "unavailable",
    refusals: [],
  };
}
