import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelFile } from '@portcullis/contract';
import { DEFAULT_POLICY, decide, identifyOffline, ModelError, makeFacts, transactionSubject } from '@portcullis/engine';
import { afterAll, describe, expect, test } from 'vitest';
import { BASE_MODEL, loadModel, readModel } from './model-file.ts';
import { readStoredModel } from './stored-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

const shipped = readFileSync(BASE_MODEL, 'utf8');
const changed = (change: (file: ModelFile & Record<string, unknown>) => unknown): string => {
  const file = JSON.parse(shipped);
  return JSON.stringify(change(file) ?? file);
};
let files = 0;
const write = (text: string): string => {
  const path = join(folder, `model_${files++}.json`);
  writeFileSync(path, text);
  return path;
};

describe('the base model', () => {
  test('can be read, and decides a request without any history', () => {
    const model = loadModel(BASE_MODEL);
    expect(model.version).toBe(JSON.parse(shipped).model_version);
    const subject = transactionSubject(
      identifyOffline,
      { user_id: 'u', amount: 20, currency: 'USD' },
      Date.UTC(2026, 10, 14),
    );
    const verdict = decide({ ...DEFAULT_POLICY, model }, subject, makeFacts().fill(Number.NaN));
    expect(verdict.modelVersion).toBe(model.version);
    expect(Number.isInteger(verdict.score) && verdict.score >= 0 && verdict.score <= 100).toBe(true);
  });

  test('is refused when the file was changed after training: decisions would name the wrong model', () => {
    const changed = { ...JSON.parse(shipped), metrics: { auc_roc: 1 } };
    for (const read of [readModel, readStoredModel])
      expect(() => read(JSON.stringify(changed))).toThrow('changed after training');
  });
});

const INVALID_FILES: [string, string, RegExp][] = [
  ['nothing', '', /it is not JSON/],
  ['text that is not JSON', 'model', /it is not JSON/],
  ['the first half of a model', shipped.slice(0, shipped.length / 2), /it is not JSON/],
  ['null', 'null', /its `schema` is undefined, expected "portcullis\.model"/],
  ['a list', '[]', /its `schema` is undefined/],
  ['another schema', changed((file) => ({ ...file, schema: 'xgboost' })), /its `schema` is "xgboost"/],
  ['a later version', changed((file) => ({ ...file, schema_version: 2 })), /`schema_version` is 2.*reads 1.*again/],
  ['a version as text', changed((file) => ({ ...file, schema_version: '1' })), /`schema_version` is "1"/],
  ['no calibration', changed(({ calibration: _, ...file }) => file), /calibration/],
  ['a text as threshold', shipped.replace(/"threshold": ?\[/, '"threshold":["x",'), /`forest\.trees\.0\.threshold\.0`/],
  ['an infinite number', shipped.replace(/"base": ?-?[\d.]+/, '"base":1e999'), /`forest\.base`/],
  ['an unknown feature', changed((file) => void file.features.splice(0, 1, 'user.shoe_size')), /`user\.shoe_size`/],
  ['fewer features than its trees use', changed((file) => void file.features.splice(1)), /uses feature/],
];

describe('a file that holds', () => {
  test.each(INVALID_FILES)('%s is refused with the path, the reason and the remedy', (_, text, why) => {
    expect(() => readModel(text)).toThrow(ModelError);
    const path = write(text);
    expect(() => loadModel(path)).toThrow(why);
    expect(() => loadModel(path)).toThrow(path);
    expect(() => loadModel(path)).toThrow(/portcullis train/);
  });

  test('nothing, because it does not exist, is refused in the same way', () => {
    const path = join(folder, 'none.json');
    expect(() => loadModel(path)).toThrow(/none\.json cannot be used: .*no such file.*portcullis train/);
    expect(() => loadModel(folder)).toThrow(/cannot be used: EISDIR/);
  });
});

describe('serve', () => {
  const CLI = fileURLToPath(new URL('../../bin/portcullis.js', import.meta.url));
  const serve = (env: Record<string, string>): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((done) => {
      const child = spawn(process.execPath, [CLI, 'serve'], { env: { PATH: process.env.PATH, PORT: '0', ...env } });
      const output = { out: '', err: '' };
      child.stdout.on('data', (chunk) => {
        output.out += chunk;
        // A start would be a failure: end it, so that the test fails instead of waiting.
        if (output.out.includes('serves at')) child.kill('SIGKILL');
      });
      child.stderr.on('data', (chunk) => {
        output.err += chunk;
      });
      child.on('close', (code) => done({ ...output, code }));
    });

  test('exits at once when MODEL_FILE cannot be read, without a store and without a stack trace', async () => {
    const paths = [
      write(shipped.slice(0, 1000)),
      write('{"schema":"portcullis.model","schema_version":9}'),
      '/nowhere',
    ];
    const dataDir = join(folder, 'data');
    const ends = await Promise.all(paths.map((MODEL_FILE) => serve({ DATA_DIR: dataDir, MODEL_FILE })));
    for (const [i, { code, out, err }] of ends.entries()) {
      expect(code).toBe(1);
      expect(err).toContain(`The model ${paths[i]} cannot be used: `);
      expect(err.trim().split('\n')).toHaveLength(1);
      expect(out).not.toMatch(/serves at|sk_/);
    }
    expect(existsSync(dataDir)).toBe(false);
  });
});
