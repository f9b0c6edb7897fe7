const BAR_CELLS = 30;
const REDRAW_MS = 100;

export interface Progress {
  at(done: number): void;
  end(): void;
}

/** How far a long command has come, on a terminal; programs that read what it prints see nothing of it. */
export const makeProgress = (label: string, total?: number): Progress => {
  const { stderr } = process;
  if (!stderr.isTTY) return { at: () => undefined, end: () => undefined };
  const began = performance.now();
  let drawn = Number.NEGATIVE_INFINITY;
  let latest = 0;
  const draw = (): void => {
    const seconds = (performance.now() - began) / 1000;
    const pace = seconds > 0 ? `${Math.round(latest / seconds).toLocaleString('en')}/s` : '';
    const part = total === undefined || total <= 0 ? undefined : Math.min(1, latest / total);
    const filled = Math.round((part ?? 0) * BAR_CELLS);
    const how =
      part === undefined
        ? latest.toLocaleString('en')
        : `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${Math.floor(part * 100)} %`;
    stderr.write(`\r\x1b[K${label} ${how}  ${pace}`);
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
