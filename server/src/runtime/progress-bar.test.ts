import { afterEach, expect, test, vi } from 'vitest';
import { makeProgress } from './progress-bar.ts';

const terminal = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
afterEach(() => {
  vi.restoreAllMocks();
  if (terminal === undefined) Reflect.deleteProperty(process.stderr, 'isTTY');
  else Object.defineProperty(process.stderr, 'isTTY', terminal);
});

const written = (isTerminal: boolean, task: () => void): string[] => {
  Object.defineProperty(process.stderr, 'isTTY', { value: isTerminal, configurable: true });
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  task();
  return write.mock.calls.map(([text]) => String(text));
};

test('writes nothing when standard error is not a terminal', () => {
  const lines = written(false, () => {
    const progress = makeProgress('working', 10);
    progress.at(5);
    progress.end();
  });
  expect(lines).toEqual([]);
});

test('draws at most ten times a second on a terminal, and always draws the end', () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const lines = written(true, () => {
    const progress = makeProgress('working', 1000);
    for (; now < 1000; now++) progress.at(now);
    progress.at(1000);
    progress.end();
  });
  expect(lines.length).toBeGreaterThan(9);
  expect(lines.length).toBeLessThanOrEqual(13);
  expect(lines.at(-2)).toContain('100 %');
  expect(lines.at(-1)).toBe('\n');
});
