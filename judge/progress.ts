import { makeProgress, type Progress } from '../server/src/runtime/progress-bar.ts';

const STEPS = 10;

/** Progress on stderr: a bar on a terminal, otherwise a line per tenth of the work. */
export const showProgress = (label: string, total: number): Progress => {
  if (process.stderr.isTTY) return makeProgress(label, total);
  let shown = 0;
  return {
    at: (done) => {
      const step = Math.floor((STEPS * done) / total);
      if (step <= shown) return;
      shown = step;
      process.stderr.write(`${label}: ${step * (100 / STEPS)} %\n`);
    },
    end: () => undefined,
  };
};
