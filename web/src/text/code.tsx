// A block of code: coloured by the worker, with a button to copy it.

import { memo, type ReactNode, useState } from "react";

import { t } from "../strings.ts";
import { type Tokens, useTokens } from "./highlight.ts";

export const Code = memo(function Code({ text, language }: { text: string; language: string }) {
  const tokens = useTokens(text, language);
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div className="code">
      <div className="code-head">
        <span>{language}</span>
        {/* There is no clipboard over plain HTTP to another machine. */}
        {navigator.clipboard === undefined ? null : (
          <button type="button" className="quiet" onClick={() => void copy()}>
            {copied ? t.copied : t.copy}
          </button>
        )}
      </div>
      <pre tabIndex={0}>
        <code>{tokens === null ? text : tokens.map((line, index) => <Line key={index} tokens={line} end={index < tokens.length - 1} />)}</code>
      </pre>
    </div>
  );
});

function Line({ tokens, end }: { tokens: Tokens; end: boolean }): ReactNode {
  return (
    <>
      <Coloured tokens={tokens} />
      {end ? "\n" : ""}
    </>
  );
}

export function Coloured({ tokens }: { tokens: Tokens }): ReactNode {
  return tokens.map(([kind, text], index) =>
    kind === "" ? text : (
      <span key={index} className={`hl-${kind}`}>
        {text}
      </span>
    ),
  );
}
