import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ruleVariablesPage } from '../scripts/rules.ts';
import { compile } from '../server/src/rules/compile.ts';
import { blocksOf } from './page-blocks.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const guide = read('../docs/rules.md');

test('docs/rule-variables.md is current: npm run rules', () => {
  expect(read('../docs/rule-variables.md')).toBe(ruleVariablesPage());
});

describe('docs/rules.md', () => {
  const blocks = blocksOf(guide)
    .filter(({ language }) => language === 'cel')
    .map(({ text }) => text);

  test('has examples', () => {
    expect(blocks.length).toBeGreaterThan(10);
  });

  test.each(blocks)('has only valid expressions: %s', (expression) => {
    expect(compile(expression)).toHaveProperty('matches');
  });

  test('shows an error as the service reports it', () => {
    const [, expression = '', shown = ''] =
      /```text\n(amout[^\n]*)\n```[\s\S]*?```text\n([\s\S]*?)\n```/.exec(guide) ?? [];
    const compiled = compile(expression);
    if (!('error' in compiled)) throw new Error('the example is valid');
    const { line, column, message, excerpt } = compiled.error;
    expect(shown).toBe(`line ${line}, column ${column}: ${message}\n${excerpt}`);
  });
});
