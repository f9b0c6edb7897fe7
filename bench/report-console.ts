import { table } from '../scripts/markdown.ts';
import type { ConsolePeople } from './console-people.ts';
import type { ConsoleScroll } from './console-scroll.ts';

const ms = (value: number): string => value.toFixed(1);
const times = (ratio: number): string => `${ratio.toFixed(2)}x`;

const scrollText = (scroll: ConsoleScroll | undefined): string =>
  scroll === undefined
    ? 'Scrolling was not measured: no Chromium is available.'
    : `A queue of ${scroll.cases.toLocaleString('en')} open cases is scrolled in Chromium from the first to the last by half a screen per frame, in ${scroll.seconds.toFixed(0)} s.

${table(
  ['measurement', 'result'],
  [
    ['tasks over 50 ms', String(scroll.longTasks)],
    ['longest of them', scroll.longTasks === 0 ? 'none' : `${scroll.longestTaskMs.toFixed(0)} ms`],
    ['processor time of the longest task', `${scroll.longestTaskCpuMs.toFixed(0)} ms`],
    [
      'frames: number, p99, longest',
      `${scroll.frames.toLocaleString('en')}, ${scroll.p99FrameMs.toFixed(0)} ms, ${scroll.longestFrameMs.toFixed(0)} ms`,
    ],
  ],
)}`;

export const consoleSection = (scroll: ConsoleScroll | undefined, of: ConsolePeople): string => {
  const { alone, beside, ratios } = of;
  return `## Console

${scrollText(scroll)}

${of.people} people work in the console: together ${of.requestsPerSecond.toFixed(0)} requests/s, ${of.eventsPerSecond.toFixed(0)} events of the feed per second and ${of.resolvedPerMinute.toFixed(0)} resolved cases a minute. ${of.failed} of their
requests failed. Screenings arrive beside them, with ${of.stored.toLocaleString('en')} stored before. Rounds with and without people alternate.

${table(
  ['screening', 'alone', 'beside people', 'ratio'],
  [
    [
      `${of.arrivals} arrivals/s: answered/s`,
      alone.perSecond.toFixed(0),
      beside.perSecond.toFixed(0),
      times(ratios.perSecond),
    ],
    [`${of.arrivals} arrivals/s: p50 in ms`, ms(alone.p50Ms), ms(beside.p50Ms), times(ratios.p50Ms)],
    [`${of.arrivals} arrivals/s: p99 in ms`, ms(alone.p99Ms), ms(beside.p99Ms), times(ratios.p99Ms)],
    [
      '32 connections: screenings/s',
      alone.mostPerSecond.toFixed(0),
      beside.mostPerSecond.toFixed(0),
      times(ratios.mostPerSecond),
    ],
  ],
)}`;
};
