import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, sourceFiles } from './source-code.ts';

const PACKAGES = ['contract', 'engine', 'server', 'client', 'device'];

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Which file imports which. Type imports count: a reader has to follow them too. */
const importsBetween = (files: readonly string[]): Graph => {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const paths = importsOf(file).map((path) => (path.startsWith('.') ? join(dirname(file), path) : path));
      return [file, new Set(paths.filter((path) => known.has(path)))];
    }),
  );
};

/** Which file or subfolder of `folder` imports from which other one. */
const importsWithin = (folder: string, graph: Graph): Graph => {
  const childOf = (path: string): string | undefined =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;
  const children = new Map<string, Set<string>>();
  for (const [file, imports] of graph) {
    const child = childOf(file);
    if (child === undefined) continue;
    const others = children.get(child) ?? new Set();
    children.set(child, others);
    for (const other of [...imports].map(childOf)) if (other !== undefined && other !== child) others.add(other);
  }
  return children;
};

/** The groups of nodes that reach each other, by Tarjan's algorithm. */
const cyclesIn = (graph: Graph): string[][] => {
  const found = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const cycles: string[][] = [];
  const lower = (node: string, to: number): void =>
    void lowest.set(node, Math.min(lowest.get(node) ?? Number.POSITIVE_INFINITY, to));
  const enter = (node: string): void => {
    found.set(node, found.size);
    lower(node, found.size - 1);
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!found.has(next)) {
        enter(next);
        lower(node, lowest.get(next) as number);
      } else if (path.includes(next)) lower(node, found.get(next) as number);
    }
    if (lowest.get(node) !== found.get(node)) return;
    const cycle = path.splice(path.indexOf(node));
    if (cycle.length > 1 || graph.get(node)?.has(node)) cycles.push(cycle.sort());
  };
  for (const node of graph.keys()) if (!found.has(node)) enter(node);
  return cycles;
};

test('finds a cycle and nothing else', () => {
  const graph = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [], f: ['f'], g: ['e', 'a'] };
  expect(cyclesIn(new Map(Object.entries(graph).map(([node, next]) => [node, new Set(next)])))).toEqual([
    ['a', 'b', 'c'],
    ['f'],
  ]);
});

test.each(PACKAGES)('%s has no import cycle between files, type imports included', (name) => {
  const files = sourceFiles(`${name}/src/**/*.ts`);
  expect(files.length).toBeGreaterThan(0);
  expect(cyclesIn(importsBetween(files))).toEqual([]);
});

test.each(PACKAGES)('%s has no import cycle between folders, type imports included', (name) => {
  const graph = importsBetween(sourceFiles(`${name}/src/**/*.ts`));
  const folders = new Set([...graph.keys()].map(dirname));
  const cycles = [...folders].flatMap((folder) =>
    cyclesIn(importsWithin(folder, graph)).map((cycle) => `${folder}: ${cycle.join(', ')}`),
  );
  expect(cycles).toEqual([]);
});
