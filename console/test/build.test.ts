import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildConsole } from '../../scripts/console-build.ts';

const FOLDER = new URL('../../server/console/', import.meta.url);
const names = readdirSync(FOLDER).sort();
const read = (name: string): Buffer => readFileSync(new URL(name, FOLDER));

/** The files that a script loads with itself. */
const importsOf = (name: string): readonly string[] =>
  [
    ...read(name)
      .toString('utf8')
      .matchAll(/(?:from|import)\s*["'`]\.\/([\w-]+\.js)["'`]/g),
  ].map(([, file]) => file as string);
const allOf = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const file of importsOf(name)) allOf(file, seen);
  return seen;
};
const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, name) => sum + gzipSync(read(name), { level: 9 }).length, 0) / 1000;

const first = allOf('index.js');
const PAGES = [
  'Cases.js',
  'CasePage.js',
  'DecisionPage.js',
  'Explorer.js',
  'Users.js',
  'UserPage.js',
  'EntityDrawer.js',
  'PlaceMap.js',
  'Overview.js',
  'Webhooks.js',
  'WebhookPage.js',
  'ApiKeys.js',
  'Integration.js',
  'People.js',
  'Audit.js',
  'Settings.js',
  'MePage.js',
  'SignIn.js',
  'UseLink.js',
  'Graph.js',
  'OpenMenu.js',
  'Rules.js',
  'RulePage.js',
  'Lists.js',
  'ListPage.js',
  'Policy.js',
  'Models.js',
  'Backtests.js',
  'BacktestPage.js',
  'Compare.js',
];

describe('the shipped console', () => {
  test('equals the build of its sources, byte for byte', async () => {
    const built = await buildConsole();
    const changed = [...built].filter(([name, content]) => !names.includes(name) || !read(name).equals(content));
    expect(
      changed.map(([name]) => name),
      'server/console is out of date: run `npm run console`',
    ).toEqual([]);
    expect([...built.keys()].sort()).toEqual(names);
  });

  test('loads at most 150 KB of script for its first page', () => {
    expect(kilobytes([...first, 'theme.js'])).toBeLessThan(150);
    expect(kilobytes(new Set([...allOf('Overview.js'), ...first, 'theme.js']))).toBeLessThan(150);
  });

  test.each(PAGES)('loads at most 100 KB of script more for %s', (page) => {
    expect(kilobytes([...allOf(page)].filter((file) => !first.has(file)))).toBeLessThan(100);
  });

  test('loads at most 120 KB of script more for the editor of expressions, and only with it', () => {
    expect(kilobytes([...allOf('Editor.js')].filter((file) => !first.has(file)))).toBeLessThan(120);
    for (const page of PAGES) expect(allOf(page)).not.toContain('Editor.js');
  });

  test('turns text into markup nowhere but in the code of React, which the policy of the page stops', () => {
    const sinks =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser|createContextualFragment|new Function|\beval\(/i;
    expect(names.filter((name) => name.endsWith('.js') && sinks.test(read(name).toString('utf8')))).toEqual([
      'react.js',
    ]);
  });

  test('names no other host, and carries the licences of what it contains', () => {
    const licences = read('licences.txt').toString('utf8');
    for (const name of [
      'react',
      'react-dom',
      '@mantine/core',
      '@tanstack/query-core',
      'wouter',
      'd3-force',
      'd3-geo',
      'world-atlas',
      '@codemirror/view',
      '@fontsource-variable/inter',
    ])
      expect(licences).toMatch(new RegExp(`^${name} [\\d.]+, `, 'm'));
    const page = read('index.html').toString('utf8');
    expect(page).not.toMatch(/https?:/);
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });
});
