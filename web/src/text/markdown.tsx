// Markdown, sanitised. Each block is parsed once when it is complete, and kept with the message.

import { memo, type ReactElement, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";

import { heal } from "./blocks.ts";
import { Code } from "./code.tsx";

/** The complete blocks of a text, parsed, as long as its owner (a part of a message) is in memory. */
const kept = new WeakMap<object, Map<string, ReactElement>>();

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

function parse(block: string): ReactElement {
  return Markdown({
    children: block,
    components,
    remarkPlugins: [remarkGfm],
    rehypePlugins: [[rehypeSanitize, schema]],
  });
}

function parsed(owner: object, block: string): ReactElement {
  const blocks = kept.get(owner) ?? new Map<string, ReactElement>();
  kept.set(owner, blocks);
  const element = blocks.get(block) ?? parse(block);
  blocks.set(block, element);
  return element;
}

/** Draw some blocks of a text (`splitBlocks`); the last one of an `open` text may still grow. */
export const MarkdownBlocks = memo(function MarkdownBlocks({ owner, blocks, open }: { owner: object; blocks: readonly string[]; open: boolean }) {
  const last = blocks.length - 1;
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} owner={owner} text={open && index === last ? heal(block) : block} open={open && index === last} />
      ))}
    </div>
  );
});

interface BlockProps {
  owner: object;
  text: string;
  open: boolean;
}

/** An open block is another text with each piece: none of them is kept. */
const Block = memo(
  function Block({ owner, text, open }: BlockProps) {
    return open ? parse(text) : parsed(owner, text);
  },
  // A part that streams in is another object with each piece; its complete blocks are the same.
  (before: BlockProps, after: BlockProps) => before.text === after.text && before.open === after.open,
);
