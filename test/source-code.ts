import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** The project's own source code, for tests that check its structure. */

const ROOT = join(import.meta.dirname, '..');

/** Paths relative to the root of the repository. */
export const sourceFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.d.ts'));

interface SyntaxNode {
  readonly type: string;
  readonly source?: { readonly value?: unknown } | null;
  readonly value?: unknown;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

const visit = (node: unknown, onNode: (node: SyntaxNode) => void): void => {
  if (Array.isArray(node)) for (const child of node) visit(child, onNode);
  else if (typeof node === 'object' && node !== null) {
    if ('type' in node) onNode(node as SyntaxNode);
    for (const child of Object.values(node)) visit(child, onNode);
  }
};

const parse = (path: string) => parseAst(readFileSync(join(ROOT, path), 'utf8'), { lang: 'ts' }, path);

/** Every imported or re-exported module: by value, by type, and with `import()`. */
export const importsOf = (path: string): string[] => {
  const imports: string[] = [];
  visit(parse(path), ({ source }) => {
    if (typeof source?.value === 'string') imports.push(source.value);
  });
  return imports;
};

/** Every string and template. An expression in a template becomes `?`. */
export const stringsOf = (path: string): string[] => {
  const strings: string[] = [];
  visit(parse(path), ({ type, value, quasis }) => {
    if (type === 'Literal' && typeof value === 'string') strings.push(value);
    if (type === 'TemplateLiteral') strings.push((quasis ?? []).map((part) => part.value.cooked).join('?'));
  });
  return strings;
};
