import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM } from '../scripts/find-chromium.ts';
import { signInPerson } from './person.ts';
import { startServer } from './process.ts';
import { storeCases } from './stored-cases.ts';

/** The queue of the console, scrolled from the first case to the last as fast as a person can. */
export interface ConsoleScroll {
  readonly cases: number;
  readonly seconds: number;
  readonly frames: number;
  readonly p99FrameMs: number;
  readonly longestFrameMs: number;
  /** Tasks of the page over 50 ms, which block input. They include the time in which other programs had the processor. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
  /** Processor time of the longest task, which does not depend on other programs. */
  readonly longestTaskCpuMs: number;
}

const CASES = 10_000;
/** Half a screen per frame: 500 rows a second at 60 frames, faster than anybody reads. */
const STEP_PX = 400;
const PATIENCE_MS = 180_000;

/** Scrolls by a step per frame. The list grows while it is scrolled: the end is where it has the height of all cases. */
const SCROLL = `async ([count, step, patience]) => {
  const box = document.querySelector('.grid-body');
  const rowHeight = document.querySelector('.case-place').offsetHeight;
  const tasks = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: 'longtask' });
  const frames = [];
  const began = performance.now();
  let last = began;
  await new Promise((done, fail) => {
    const onFrame = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
      if (isAtEnd && box.scrollHeight >= count * rowHeight) return done();
      if (now - began > patience) return fail(new Error('The end was not reached.'));
      box.scrollTop += step;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
  });
  observer.disconnect();
  return { frames, tasks, seconds: (performance.now() - began) / 1000 };
}`;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}
/** The processor time of the longest task of the page. */
const longestCpuMs = (trace: Buffer): number => {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const main = traceEvents.find(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && pid === main?.pid && tid === main.tid,
  );
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
};

const scroll = async (browser: Browser, page: Page): Promise<ConsoleScroll> => {
  await browser.startTracing(page, { categories: ['-*', 'toplevel', '__metadata'] });
  const { frames, tasks, seconds } = (await page.evaluate(
    `(${SCROLL})(${JSON.stringify([CASES, STEP_PX, PATIENCE_MS])})`,
  )) as { frames: number[]; tasks: number[]; seconds: number };
  const sorted = frames.toSorted((a, b) => a - b);
  return {
    cases: CASES,
    seconds,
    frames: frames.length,
    p99FrameMs: sorted[Math.floor(sorted.length * 0.99)] as number,
    longestFrameMs: sorted.at(-1) as number,
    longTasks: tasks.length,
    longestTaskMs: Math.max(0, ...tasks),
    longestTaskCpuMs: longestCpuMs(await browser.stopTracing()),
  };
};

/** Undefined without a Chromium on the machine. */
export const measureConsoleScroll = async (): Promise<ConsoleScroll | undefined> => {
  if (CHROMIUM === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-scroll-'));
  try {
    const service = await startServer('./service-server.ts', { DATA_DIR: directory, BENCH_SPEED: '1' });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    try {
      await storeCases(directory, CASES, 'open');
      const [name = '', value = ''] = (await signInPerson(service.target, 'scroll', 'analyst')).split('=', 2);
      const url = `http://127.0.0.1:${service.target.port}`;
      const context = await browser.newContext({ viewport: { width: 1360, height: 850 } });
      await context.addCookies([{ name, value, url }]);
      const page = await context.newPage();
      await page.goto(`${url}/console/sandbox/cases`);
      await page.locator('.case-place').first().waitFor();
      // The first load is not part of the scrolling.
      await page.evaluate('new Promise((done) => requestIdleCallback(() => done()))');
      return await scroll(browser, page);
    } finally {
      await browser.close();
      await service.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

if (import.meta.main) process.stdout.write(`${JSON.stringify(await measureConsoleScroll(), undefined, 2)}\n`);
