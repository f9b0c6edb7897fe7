import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operations } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { client, login, payment, startService } from '../server/test/harness.ts';
import { hasPostgres } from '../server/test/postgres-answers.ts';
import { redisAnswers } from '../server/test/redis-world.ts';
import { makeSharedStore } from '../server/test/shared-store.ts';
import { anchorsOf } from './page-blocks.ts';
import { readExpression } from './promql.ts';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const alerts = (parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard = JSON.parse(read('deploy/grafana/portcullis.json')) as {
  panels: Panel[];
  templating: { list: { name: string; query: string | { query: string } }[] };
};
const asked = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** What Prometheus adds to what a process prints. */
const BY_PROMETHEUS = ['job', 'instance'];

/** What only a service on PostgreSQL and Redis prints: where these do not answer, what is asked of it goes unchecked. */
const OF_SHARED = [
  'portcullis_histories_whole',
  'portcullis_redis_may_evict',
  'portcullis_redis_up',
  'portcullis_screenings_without_histories',
];
const hasShared = hasPostgres && (await redisAnswers());
const checked = asked.filter(([, expr]) => hasShared || !OF_SHARED.some((name) => expr.includes(name)));

/** What only a process prints that sends what is owed: one of the role `api` does not. */
const OF_SENDERS = ['portcullis_deliveries_oldest_owed_seconds', 'portcullis_deliveries_owed'];
const isSummed = (expr: string): boolean => /\b(?:sum|max|count)\b/.test(expr);

type Series = Map<string, Record<string, string>[]>;
const namesIn = (text: string): string[] => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string);
const printedBy = async (env: Record<string, string>): Promise<Series> => {
  const service = await startService({ env });
  const caller = client(service, await service.key());
  await caller.pay(payment());
  await caller.act(login());
  await caller.get('/v1/cases');
  const { text } = await caller.get('/metrics');
  const series: Series = new Map(namesIn(text).map((name) => [name, []]));
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const own = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
    series.set(name, [...(series.get(name) ?? []), own]);
  }
  return series;
};

describe('what a real service prints', () => {
  let embedded: Series;
  let shared: Series;
  let series: Series;
  beforeAll(async () => {
    embedded = await printedBy({});
    shared = hasShared ? await printedBy(await makeSharedStore()) : new Map();
    series = new Map([...embedded, ...shared, ['up', [{}]]]);
  });

  test.skipIf(!hasShared)('is more on PostgreSQL and Redis, by what is known here', () => {
    expect([...shared.keys()].filter((name) => !embedded.has(name)).sort()).toEqual(OF_SHARED);
  });

  test.skipIf(!hasShared)(
    'is the same whatever its role, but for what is owed, which those tell who send',
    async () => {
      const env = await makeSharedStore();
      const printed = async (ROLE: string): Promise<string[]> => {
        const service = await startService({ env: { ...env, ROLE } });
        return namesIn((await client(service, await service.key()).get('/metrics')).text);
      };
      const [all, api, worker] = [await printed('all'), await printed('api'), await printed('worker')];
      expect(all.filter((name) => !api.includes(name)).sort()).toEqual(OF_SENDERS);
      expect(worker.sort()).toEqual(all.sort());
      // So whoever asks for it asks all processes at once.
      for (const [title, expr] of asked)
        if (OF_SENDERS.some((name) => expr.includes(name))) expect(isSummed(expr), title).toBe(true);
    },
  );

  test.each(checked)('is all that is asked for: %s', (_title, expr) => {
    const { selectors, labels } = readExpression(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      const printed = series.get(metric);
      expect(printed, metric).toBeDefined();
      for (const { label, isEqual, value } of matchers.filter(({ label }) => !BY_PROMETHEUS.includes(label))) {
        const values = (printed ?? []).map((labelled) => labelled[label]);
        expect(values.filter((one) => one !== undefined).length, `${metric} has ${label}`).toBeGreaterThan(0);
        // A status or an operation appears with its first request; all else is there from the start.
        if (label === 'operation') {
          const known = ['none', ...Object.keys(operations)];
          expect(value.split('|').filter((one) => !known.includes(one))).toEqual([]);
        } else if (label !== 'status' && isEqual) expect(values, `${metric} ${label}`).toContain(value);
      }
    }
    const known = [...BY_PROMETHEUS, ...selectors.flatMap(({ metric }) => Object.keys(series.get(metric)?.[0] ?? {}))];
    expect(labels.filter((label) => !known.includes(label))).toEqual([]);
  });

  test('is all on the dashboard, but for what every Node process prints', () => {
    const drawn = dashboard.panels
      .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => readExpression(expr).selectors))
      .map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/, ''));
    const own = [...series.keys()].filter(
      (name) => name.startsWith('portcullis_') && !/_(?:bucket|sum|count)$/.test(name),
    );
    expect(own.filter((name) => !drawn.includes(name))).toEqual([]);
  });
});

describe('the alerts', () => {
  test('have names of their own, say how urgent they are, and lead to what to do', () => {
    const anchors = anchorsOf(read('docs/operations.md'));
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, annotations, ...rest } of alerts) {
      expect(alert).toMatch(/^Portcullis[A-Z][A-Za-z]+$/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\S/);
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
      expect(anchors, alert).toContain(alert.toLowerCase());
      if (rest.for !== undefined) expect(rest.for).toMatch(/^\d+m$/);
    }
  });

  test('are all that the operations guide tells of', () => {
    const told = anchorsOf(read('docs/operations.md')).filter((anchor) => /^portcullis[a-z]/.test(anchor));
    expect(told.sort()).toEqual(alerts.map(({ alert }) => alert.toLowerCase()).sort());
  });

  test('print only labels that their result has', () => {
    for (const { alert, expr, annotations } of alerts) {
      const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label as string);
      const { labels } = readExpression(expr);
      const kept = isSummed(expr) ? labels : [...BY_PROMETHEUS, 'operation', 'status'];
      expect(
        shown.filter((label) => !kept.includes(label)),
        alert,
      ).toEqual([]);
    }
  });
});

const ALERT_TESTS = ['alerts.test.yaml', 'alerts-day.test.yaml'];
test('Prometheus itself takes the alerts, and they speak when they should', ({ annotate }) => {
  const cwd = fileURLToPath(new URL('../deploy/prometheus', import.meta.url));
  const { error, status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...ALERT_TESTS], { cwd });
  if (error !== undefined) return annotate('promtool is not here: not run');
  expect(status, `${stdout}${stderr}`).toBe(0);
});

describe('the dashboard', () => {
  test('has panels that do not overlap, each with a number of its own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
    }
  });

  test('uses only variables that it has', () => {
    const known = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval', '__all'];
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name as string);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('names in its legends only labels that the expression keeps', () => {
    for (const { title, targets = [] } of dashboard.panels)
      for (const { expr, legendFormat } of targets) {
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string);
        const { labels } = readExpression(expr);
        const kept = isSummed(expr) ? labels : BY_PROMETHEUS;
        expect(
          shown.filter((label) => !kept.includes(label)),
          title,
        ).toEqual([]);
      }
  });
});
