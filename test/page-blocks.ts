/** A fenced block of Markdown. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

const FENCE = /^```(\w*)\s*$/;

export const blocksOf = (markdown: string): Block[] => {
  const blocks: Block[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  markdown.split('\n').forEach((text, index) => {
    const fence = FENCE.exec(text);
    if (fence === null) open?.lines.push(text);
    else if (open === undefined) open = { language: fence[1] ?? '', line: index + 1, lines: [] };
    else {
      blocks.push({ language: open.language, line: open.line, text: open.lines.join('\n') });
      open = undefined;
    }
  });
  return blocks;
};

const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '`');

/** Targets of the links of a page, without links to the web. */
export const linksOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/\]\(<?([^)>\s]+)>?(?:\s+"[^"]*")?\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));

/** Anchors of the headings of a page. */
export const anchorsOf = (markdown: string): string[] =>
  [...markdown.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading]) =>
    (heading as string)
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
