import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type TrainFlags, trainFile } from '../../src/commands/train-file.ts';
import { BASE_MODEL, loadModel } from '../../src/models/model-file.ts';
import type { SimulatedItem } from '../../src/simulate/simulate.ts';
import { runCommand } from '../fixtures/command.ts';
import { client, DAY_MS, type Json, payment, startService } from '../fixtures/harness.ts';
import {
  backtestOf,
  CONFIG,
  dayOf,
  linesOf,
  makeHistory,
  pathOf,
  readScores,
  timeOf,
  write,
} from '../fixtures/history-files.ts';

const history = makeHistory(100);
const file = write(linesOf(history));
const [DELAY, TRAIN_DAYS, FROM, UNTIL] = [7 * DAY_MS, 28, dayOf(36), dayOf(46)];
const TRAINING = { trainDays: TRAIN_DAYS, testFrom: FROM, testUntil: UNTIL };

/** The same history with the labels from a time on inverted. */
const flippedFrom = (moment: number): string =>
  write(
    linesOf(
      history.map((item): SimulatedItem => {
        if (timeOf(item) < moment) return item;
        const { attack: _, label_reason: __, ...rest } = item;
        return { ...rest, label: item.label === 'fraud' ? 'legitimate' : 'fraud' };
      }),
    ),
  );

const trained = await backtestOf(file, TRAINING);

describe('backtest with --train-days', async () => {
  const RETRAINING = { ...TRAINING, retrainEvery: 5 * DAY_MS };
  const retrained = await backtestOf(file, RETRAINING);

  test('scores every item with the trained model, better than chance', () => {
    expect(trained.json.model_version).toMatch(/^mdl_/);
    expect(trained.json.model_version).not.toBe(loadModel(BASE_MODEL).version);
    const rows = history.flatMap((item, row) => (timeOf(item) >= FROM && timeOf(item) < UNTIL ? [row] : []));
    expect(readScores(trained.scores).map(({ row }) => row)).toEqual(rows);
    expect(trained.json.auc_roc).toBeGreaterThan(0.7);
  });

  test('trains only on labels known at the time', async () => {
    const changed = await backtestOf(flippedFrom(FROM - DELAY), TRAINING);
    expect(changed.json.model_version).toBe(trained.json.model_version);
    const earlier = await backtestOf(flippedFrom(FROM - DELAY - DAY_MS), TRAINING);
    expect(earlier.json.model_version).not.toBe(trained.json.model_version);
  });

  test('gives the same scores for any labels that become known after the tested period', async () => {
    const late = flippedFrom(UNTIL - DELAY);
    expect((await backtestOf(late, TRAINING)).scores === trained.scores).toBe(true);
    expect((await backtestOf(late, RETRAINING)).scores === retrained.scores).toBe(true);
    expect(retrained.scores === trained.scores).toBe(false);
  });

  test('trains only on the given number of days', async () => {
    const [trainDays, labelDelay] = [10, 14 * DAY_MS];
    const begin = FROM - labelDelay - trainDays * DAY_MS;
    // Earlier labels that were known by then are part of its features. Later labels are not.
    const changed = history.map((item) => {
      const { label: _, label_reason: __, ...bare } = item;
      const at = Date.parse(item.occurred_at);
      return at < begin && at + labelDelay >= FROM - labelDelay ? bare : item;
    });
    expect(changed.filter((item) => !('label' in item)).length).toBeGreaterThan(50);
    const flags = { ...TRAINING, trainDays, labelDelay };
    const [all, some] = [await backtestOf(file, flags), await backtestOf(write(linesOf(changed)), flags)];
    expect(some.json.model_version).toBe(all.json.model_version);
  });

  test('--retrain-every gives the same scores as a backtest that begins at that time', async () => {
    const second = FROM + 5 * DAY_MS;
    const retrainedScores = readScores(retrained.scores);
    const begun = readScores((await backtestOf(file, { ...TRAINING, testFrom: second })).scores);
    const first = readScores(trained.scores);
    expect(begun.length).toBeGreaterThan(50);
    expect(retrainedScores.slice(-begun.length)).toEqual(begun);
    expect(retrainedScores.slice(0, -begun.length)).toEqual(first.slice(0, -begun.length));
  });

  test('of a period without labels is rejected', async () => {
    await expect(backtestOf(file, { ...TRAINING, testFrom: dayOf(3) })).rejects.toThrow(
      /no labelled items to train on/,
    );
  });
});

describe('train', async () => {
  const train = async (flags: Partial<TrainFlags> = {}) => {
    const out = pathOf(`model_${Math.random()}.json`);
    const ended = await runCommand(() => trainFile(CONFIG, file, { out, labelDelay: DELAY, seed: 1, ...flags }));
    return { ...ended, path: out };
  };
  const made = await train({ until: FROM, trainDays: TRAIN_DAYS, json: true });

  test('writes the same bytes for the same file and seed, and prints a summary', async () => {
    expect(made.code).toBe(0);
    const printed = JSON.parse(made.out);
    expect(printed).toMatchObject({
      schema: 'portcullis.model',
      trained: { source: 'a history in a file' },
    });
    expect(printed.forest).toBeUndefined();
    const again = await train({ until: FROM, trainDays: TRAIN_DAYS });
    expect(readFileSync(again.path).equals(readFileSync(made.path))).toBe(true);
    expect(again.out).toContain(`${printed.model_version}, ${printed.kind}, trained on ${printed.trained.rows} items`);
  });

  test('makes the same model as backtest at that time', async () => {
    const given = await backtestOf(file, { model: made.path, testFrom: FROM, testUntil: UNTIL });
    expect(given.scores === trained.scores).toBe(true);
  });

  test('makes a model that the service can use', async () => {
    const service = await startService({ env: { MODEL_FILE: made.path } });
    const { pay, get } = client(service, await service.key());
    const { decision_id } = (await pay(payment())).json;
    const { json }: { json: Json } = await get(`/v1/decisions/${decision_id}`);
    expect(json.model_version).toBe(JSON.parse(readFileSync(made.path, 'utf8')).model_version);
    await service.stop();
  });

  test('of a period without labels is rejected', async () => {
    const { code, err } = await train({ until: dayOf(2) });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/contains no labelled items in the training period, from .* to .*/),
    ]);
    const empty = await runCommand(() =>
      trainFile(CONFIG, write(''), { out: pathOf('none.json'), labelDelay: DELAY, seed: 1 }),
    );
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('contains no items to train on')]);
  });
});
