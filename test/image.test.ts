import { describe, expect, test } from 'vitest';
import { contextFiles, makeContextFilter, readStages } from './image-file.ts';

const KNOWN = [
  'RUN',
  'WORKDIR',
  'ENV',
  'COPY',
  'USER',
  'LABEL',
  'VOLUME',
  'EXPOSE',
  'HEALTHCHECK',
  'ENTRYPOINT',
  'CMD',
];

describe('the image', () => {
  const stages = readStages();
  const last = stages.at(-1) as (typeof stages)[number];
  const base = stages.find(({ as }) => as === last.from) as (typeof stages)[number];
  const files = contextFiles();
  const only = (name: string): string => {
    const found = last.instructions.filter((instruction) => instruction.name === name);
    expect(found, name).toHaveLength(1);
    return found[0]?.rest as string;
  };

  test('is built from known instructions and released images, pinned by digest', () => {
    for (const { from, as, instructions } of stages) {
      const isStage = stages.some((stage) => stage.as === from);
      expect(
        isStage || /^(?:debian:[a-z]+-\d{8}-slim|node:\d+\.\d+\.\d+-[a-z]+-slim)@sha256:[0-9a-f]{64}$/.test(from),
        from,
      ).toBe(true);
      for (const { name } of instructions) expect(KNOWN, as).toContain(name);
    }
    expect(base.from).toMatch(/^debian:/);
  });

  test('copies only existing files, and sends only those to the builder', () => {
    const copied: string[] = [];
    for (const { instructions } of stages) {
      for (const { name, flags, rest } of instructions) {
        if (name !== 'COPY') continue;
        const sources = rest.split(' ').slice(0, -1);
        if (flags.from !== undefined) expect(stages.map(({ as }) => as)).toContain(flags.from);
        else copied.push(...sources);
      }
    }
    const isIn = (file: string, source: string): boolean => file === source || file.startsWith(`${source}/`);
    expect(copied.filter((source) => !files.some((file) => isIn(file, source)))).toEqual([]);
    expect(files.filter((file) => !copied.some((source) => isIn(file, source)))).toEqual([]);
  });

  test('contains no data, secrets or tests of a working copy', () => {
    const isSent = makeContextFilter();
    const bait = ['data/secret.key', '.env', 'server/.env', 'server/data/portcullis.db', '.git/config', 'out.log'];
    const more = ['server/server.log', 'node_modules/pg/package.json', 'server/node_modules/a/b.js', 'bench/run.ts'];
    expect([...bait, ...more].filter(isSent)).toEqual([]);
    expect(files.filter((file) => /(?:^|\/)test\/|\.test\.ts$|fixture|tsconfig/.test(file))).toEqual([]);
    const NEEDED = ['package-lock.json', 'server/src/cli.ts', 'server/models/base.json', 'engine/src/index.ts'];
    expect(NEEDED.filter((file) => !files.includes(file))).toEqual([]);
    for (const { instructions } of stages)
      for (const { name, rest } of instructions)
        if (name === 'ENV') expect(rest).not.toMatch(/SECRET|KEY|PASSWORD|_URL/);
  });

  test('runs unprivileged, stores data in a volume, has a health check without a shell, and receives signals itself', () => {
    expect(only('USER')).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    const settings = base.instructions.find(({ name }) => name === 'ENV')?.rest as string;
    expect(JSON.parse(only('VOLUME'))).toEqual([/DATA_DIR=(\S+)/.exec(settings)?.[1]]);
    expect(only('EXPOSE')).toBe(/PORT=(\d+)/.exec(settings)?.[1]);
    expect(JSON.parse(only('HEALTHCHECK').replace(/^CMD /, ''))[0]).toBe('node');
    expect(JSON.parse(only('ENTRYPOINT')).at(-1)).toBe('server/bin/portcullis.js');
    expect(JSON.parse(only('CMD'))).toEqual(['serve']);
  });
});
