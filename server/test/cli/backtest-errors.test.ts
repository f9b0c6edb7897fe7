import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { type BacktestFlags, backtestFile } from '../../src/commands/backtest.ts';
import { trainFile } from '../../src/commands/train-file.ts';
import { runCommand } from '../fixtures/command.ts';
import { DAY_MS, makeFolder } from '../fixtures/harness.ts';
import { CONFIG, linesOf, makeHistory, pathOf, write } from '../fixtures/history-files.ts';

const CLI = fileURLToPath(new URL('../../bin/portcullis.js', import.meta.url));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});
const start = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number | null; out: string; err: string }>((done) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { PATH: process.env.PATH, DATA_DIR: CONFIG.dataDir, ...env },
    });
    children.add(child);
    const output = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      output.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output.err += chunk;
    });
    child.on('close', (code) => {
      children.delete(child);
      done({ ...output, code });
    });
  });

const HEAD = 'occurred_at,user_id,amount,currency,label';
const GOOD = '2026-01-01T10:00:00Z,ada,5,USD,legitimate';
const small = write(linesOf(makeHistory(10)));

describe('a file with an error', () => {
  const FILES: [string, string, string, RegExp][] = [
    ['an invalid amount', `${HEAD}\n${GOOD}\n2026-01-02,ada,much,USD,\n`, 'csv', /line 3, column 3: `amount` must/],
    ['an unknown label', `${HEAD}\n2026-01-02,ada,5,USD,bad\n`, 'csv', /line 2, column 5: `label` must be/],
    [
      'a label named like an Object property',
      `${HEAD}\n2026-01-02,ada,5,USD,constructor\n`,
      'csv',
      /column 5: `label`/,
    ],
    [
      'items out of order',
      `${HEAD}\n${GOOD}\n2025-01-02,ada,5,USD,\n`,
      'csv',
      /line 3, column 1: `occurred_at` is before/,
    ],
    ['a short row', `${HEAD}\n${GOOD}\n2026-01-02,ada\n`, 'csv', /line 3: 2 fields, expected 5/],
    ['an open quotation mark', `${HEAD}\n2026-01-02,"ada,5,USD,\n`, 'csv', /line 2: a quotation mark/],
    ['no header', `${GOOD}\n${GOOD}\n`, 'csv', /line 1: the header has no column `occurred_at`/],
    [
      'a field that is both text and object',
      `${HEAD},metadata,metadata.a\n${GOOD},x,y\n`,
      'csv',
      /line 2, column 6: `metadata` must/,
    ],
    ['an incomplete line of JSON', '{"occurred_at":"2026-01-01",', 'ndjson', /line 1.*: not JSON/],
    ['a truncated gzip', linesOf(makeHistory(3)), 'ndjson.gz', /could not be read: unexpected end of file/],
  ];

  test.each(FILES)('%s is reported with its position, exit code 2 and no stack', async (_, text, extension, reason) => {
    const path = write(text, extension);
    if (extension.endsWith('.gz')) writeFileSync(path, readFileSync(path).subarray(0, 300));
    const out = pathOf('never.json');
    const commands = [
      () => backtestFile(CONFIG, path, { labelDelay: DAY_MS, seed: 1 }),
      () => trainFile(CONFIG, path, { labelDelay: DAY_MS, seed: 1, out }),
    ];
    for (const command of commands) {
      const { code, err, out: printed } = await runCommand(command);
      expect([code, printed]).toEqual([2, '']);
      expect(err).toMatch(reason);
      expect(err).toContain(path);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
    expect(existsSync(out)).toBe(false);
  });

  test('that does not exist is reported with its path', async () => {
    const { code, err } = await runCommand(() => backtestFile(CONFIG, '/nowhere.csv', { labelDelay: 0, seed: 1 }));
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: \/nowhere\.csv could not be read: ENOENT/)]);
  });
});

describe('invalid options', () => {
  const later = Date.UTC(2026, 0, 20);
  test.each<[Partial<BacktestFlags>, RegExp]>([
    [{ trainDays: 7 }, /^error: --train-days requires --test-from/],
    [{ retrainEvery: DAY_MS }, /^error: --retrain-every requires --train-days/],
    [{ testFrom: later, testUntil: later }, /^error: --test-until must be after --test-from/],
    [{ testFrom: later, trainDays: 7, retrainEvery: 0 }, /^error: --retrain-every must be longer/],
    [{ testFrom: later, trainDays: 7, model: 'x' }, /cannot be combined/],
    [{ scores: '/nowhere/scores.csv' }, /^error: \/nowhere\/scores\.csv could not be written: ENOENT/],
    [{ report: '/nowhere/report.html' }, /^error: \/nowhere\/report\.html could not be written: ENOENT/],
    [{ scores: small }, /could not be written: it is the history itself/],
  ])('%j are rejected in one line', async (flags, reason) => {
    const { code, err, out } = await runCommand(() =>
      backtestFile(CONFIG, small, { labelDelay: DAY_MS, seed: 1, ...flags }),
    );
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(reason);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  test('are reported by name by the command line', async () => {
    const mistakes: [string[], RegExp][] = [
      [['--test-from', 'yesterday'], /--test-from.*Expected a time such as/],
      [['--label-delay', '7'], /--label-delay.*Expected a length of time/],
      [['--train-days', '0'], /--train-days.*whole number from 1 to 3660/],
      [['--speed', '1'], /unknown option '--speed'/],
      [['--model', '/nowhere.json'], /^error: The model \/nowhere\.json cannot be used/],
    ];
    const ends = await Promise.all(mistakes.map(([options]) => start(['backtest', small, ...options])));
    ends.forEach(({ code, err, out }, i) => {
      expect(code).toBeGreaterThan(0);
      expect(err).toMatch(mistakes[i]?.[1] as RegExp);
      expect(err).not.toMatch(/\n\s+at /);
      expect(out).toBe('');
    });
  });

  test('of train are rejected too', async () => {
    const without = await start(['train', small]);
    expect([without.code, without.err]).toEqual([2, expect.stringContaining("'--out <file>' not specified")]);
    const out = '/nowhere/model.json';
    const unwritable = await runCommand(() => trainFile(CONFIG, small, { out, labelDelay: DAY_MS, seed: 1 }));
    expect([unwritable.code, unwritable.err]).toEqual([2, expect.stringMatching(/model\.json could not be written: /)]);
  });
});

describe('the command line', () => {
  test('prints only JSON on standard output with --json', async () => {
    const out = join(makeFolder(), 'model.json');
    const [tested, trained] = await Promise.all([
      start(['backtest', small, '--test-from', '2026-01-20', '--label-delay', '2d', '--json']),
      start(['train', small, '--out', out, '--json']),
    ]);
    expect([tested.code, tested.err, trained.code, trained.err]).toEqual([0, '', 0, '']);
    expect(JSON.parse(tested.out).rows).toBeGreaterThan(10);
    const { model_version } = JSON.parse(trained.out);
    const again = await start(['backtest', small, '--json'], { MODEL_FILE: out });
    expect(JSON.parse(again.out).model_version).toBe(model_version);
    expect(existsSync(CONFIG.dataDir)).toBe(false);
  });
});
