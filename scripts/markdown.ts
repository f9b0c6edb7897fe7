const cell = (text: string): string => text.replaceAll('|', '\\|');

export const code = (text: string): string => `\`${text}\``;

/** A Markdown table. `rules` is the row below the head, for example `['---', '---:']`. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  rules: readonly string[] = head.map(() => '---'),
): string => [head, rules, ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
