import { expect, test } from 'vitest';
import { shareRuns } from './share-runs.ts';

const makeRuns = () => {
  const ends: { readonly key: string; readonly end: (result: string) => void; readonly fail: () => void }[] = [];
  const share = shareRuns<string>(
    (key) =>
      new Promise((end, reject) => {
        ends.push({ key, end, fail: () => reject(new Error('failed')) });
      }),
  );
  return { share, ends, started: () => ends.map(({ key }) => key) };
};

test('gives those who call during a run the next one, and runs one at a time for each key', async () => {
  const { share, ends, started } = makeRuns();
  const [first, second, third, other] = [share('a'), share('a'), share('a'), share('b')];
  expect(started()).toEqual(['a', 'b']);
  ends[0]?.end('one');
  expect(await first).toBe('one');
  expect(started()).toEqual(['a', 'b', 'a']);
  const fourth = share('a');
  ends[2]?.end('two');
  expect(await Promise.all([second, third])).toEqual(['two', 'two']);
  ends[3]?.end('three');
  expect(await fourth).toBe('three');
  ends[1]?.end('b');
  expect(await other).toBe('b');
  share('a');
  expect(started()).toEqual(['a', 'b', 'a', 'a', 'a']);
});

test('goes on with those who wait after a run that failed', async () => {
  const { share, ends } = makeRuns();
  const [first, second] = [share('a'), share('a')];
  ends[0]?.fail();
  await expect(first).rejects.toThrow('failed');
  ends[1]?.end('two');
  expect(await second).toBe('two');
});
