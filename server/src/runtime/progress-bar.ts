const BAR_CELLS = 30;
const REDRAW_MS = 100;

export interface Progress {
  at(done: number): void;
  end(): void;
}

/** A progress bar for long commands. It is drawn only on a terminal, never in piped output. */
export const makeProgress = (label: string, total?: number): Progress => {
  const { stderr } = process;
  if (!stderr.isTTY) return { at: () => undefined, end: () => undefined };
  const began = performance.now();
  let drawn = Number.NEGATIVE_INFINITY;
  let latest = 0;
  const draw = (): void => {
    const seconds = (performance.now() - began) / 1000;
    if (total === undefined || total <= 0) {
      const pace = seconds > 0 ? `  ${Math.round(latest / seconds).toLocaleString('en')}/s` : '';
      stderr.write(`\r\x1b[K${label} ${latest.toLocaleString('en')}${pace}`);
      return;
    }
    const part = Math.min(1, latest / total);
    const filled = Math.round(part * BAR_CELLS);
    // An estimate in the first moments would be far off.
    const left = part > 0.02 && part < 1 ? `  ${Math.ceil((seconds / part) * (1 - part))} s left` : '';
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
    stderr.write(`\r\x1b[K${label} ${bar} ${Math.floor(part * 100)} %${left}`);
  };
  return {
    at: (done) => {
      latest = done;
      const now = performance.now();
      if (now - drawn < REDRAW_MS) return;
      drawn = now;
      draw();
    },
    end: () => {
      draw();
      stderr.write('\n');
    },
  };
};
