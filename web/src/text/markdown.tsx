// Markdown, sanitised. Each block is parsed once and kept.

import { memo, type ReactElement, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";

import { heal, splitBlocks } from "./blocks.ts";
import { Code } from "./code.tsx";

const KEPT = 3_000;
const kept = new Map<string, ReactElement>();

// Links and names of classes for languages only; no image is loaded from anywhere.
const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== "picture" && name !== "source"),
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"] },
};

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  img: ({ src, alt }) => <SafeLink href={typeof src === "string" ? src : undefined}>{alt || src}</SafeLink>,
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = String(children ?? "");
    const language = /language-([\w+#-]+)/.exec(className ?? "")?.[1];
    if (language === undefined && !text.includes("\n")) return <code>{text}</code>;
    return <Code text={text.replace(/\n$/, "")} language={language ?? ""} />;
  },
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
};

function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }): ReactNode {
  // A relative link would lead into the page itself.
  if (href === undefined || !/^(https?|mailto):/i.test(href)) return <span className="dead-link">{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

function parsed(block: string): ReactElement {
  const known = kept.get(block);
  if (known !== undefined) return known;
  const element = Markdown({
    children: block,
    components,
    remarkPlugins: [remarkGfm],
    rehypePlugins: [[rehypeSanitize, schema]],
  });
  if (kept.size >= KEPT) for (const old of [...kept.keys()].slice(0, KEPT / 2)) kept.delete(old);
  kept.set(block, element);
  return element;
}

export const MarkdownText = memo(function MarkdownText({ text, open }: { text: string; open: boolean }) {
  const blocks = splitBlocks(text);
  const last = blocks.length - 1;
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} text={open && index === last ? heal(block) : block} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ text }: { text: string }) {
  return parsed(text);
});
