import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { operations } from '@portcullis/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { client, login, payment, startService } from '../server/test/fixtures/harness.ts';
import { hasPostgres } from '../server/test/fixtures/postgres-available.ts';
import { isRedisAvailable } from '../server/test/fixtures/redis-world.ts';
import { makeSharedStore } from '../server/test/fixtures/shared-store.ts';
import { anchorsOf } from './page-blocks.ts';
import { readExpression } from './promql.ts';

setFlagsFromString('--expose-gc');
/** The metrics of garbage collections appear with the first one, which a service need not have in its first second. */
const collectGarbage = async (): Promise<void> => {
  (runInNewContext('gc') as () => void)();
  await new Promise((done) => setTimeout(done, 10));
};

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
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Labels that Prometheus adds. */
const BY_PROMETHEUS = ['job', 'instance'];

/** Metrics that only a service on PostgreSQL and Redis exports. Without these stores their expressions are not checked. */
const OF_SHARED = [
  'portcullis_histories_whole',
  'portcullis_redis_may_evict',
  'portcullis_redis_up',
  'portcullis_screenings_without_histories',
];
const hasShared = hasPostgres && (await isRedisAvailable());
const checked = expressions.filter(([, expr]) => hasShared || !OF_SHARED.some((name) => expr.includes(name)));

/** Metrics that only processes that send webhooks export, unlike the role `api`. */
const OF_SENDERS = ['portcullis_deliveries_oldest_owed_seconds', 'portcullis_deliveries_owed'];
const isSummed = (expr: string): boolean => /\b(?:sum|max|min|count)\b/.test(expr);

type Series = Map<string, Record<string, string>[]>;
const namesIn = (text: string): string[] => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string);
const printedBy = async (env: Record<string, string>): Promise<Series> => {
  const service = await startService({ env });
  const caller = client(service, await service.key());
  await caller.pay(payment());
  await caller.act(login());
  await caller.get('/v1/cases');
  await collectGarbage();
  const { text } = await caller.get('/metrics');
  const series: Series = new Map(namesIn(text).map((name) => [name, []]));
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const own = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
    series.set(name, [...(series.get(name) ?? []), own]);
  }
  return series;
};

describe('the metrics of a real service', () => {
  let embedded: Series;
  let shared: Series;
  let series: Series;
  beforeAll(async () => {
    embedded = await printedBy({});
    shared = hasShared ? await printedBy(await makeSharedStore()) : new Map();
    series = new Map([...embedded, ...shared, ['up', [{}]]]);
  });

  test.skipIf(!hasShared)('include further metrics on PostgreSQL and Redis', () => {
    expect([...shared.keys()].filter((name) => !embedded.has(name)).sort()).toEqual(OF_SHARED);
  });

  test.skipIf(!hasShared)(
    'are the same for all roles, except for pending deliveries, which only senders export',
    async () => {
      const env = await makeSharedStore();
      const printed = async (ROLE: string): Promise<string[]> => {
        const service = await startService({ env: { ...env, ROLE } });
        await collectGarbage();
        return namesIn((await client(service, await service.key()).get('/metrics')).text);
      };
      const [all, api, worker] = [await printed('all'), await printed('api'), await printed('worker')];
      expect(all.filter((name) => !api.includes(name)).sort()).toEqual(OF_SENDERS);
      expect(worker.sort()).toEqual(all.sort());
      // So a query must cover all processes.
      for (const [title, expr] of expressions)
        if (OF_SENDERS.some((name) => expr.includes(name))) expect(isSummed(expr), title).toBe(true);
    },
  );

  test.each(checked)('include all metrics of: %s', (_title, expr) => {
    const { selectors, labels } = readExpression(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      const printed = series.get(metric);
      expect(printed, metric).toBeDefined();
      for (const { label, isEqual, value } of matchers.filter(({ label }) => !BY_PROMETHEUS.includes(label))) {
        const values = (printed ?? []).map((labelled) => labelled[label]);
        expect(values.filter((one) => one !== undefined).length, `${metric} has ${label}`).toBeGreaterThan(0);
        // A status or an operation appears with its first request; all other values exist from the start.
        if (label === 'operation') {
          const known = ['none', ...Object.keys(operations)];
          expect(value.split('|').filter((one) => !known.includes(one))).toEqual([]);
        } else if (label !== 'status' && isEqual) expect(values, `${metric} ${label}`).toContain(value);
      }
    }
    const known = [...BY_PROMETHEUS, ...selectors.flatMap(({ metric }) => Object.keys(series.get(metric)?.[0] ?? {}))];
    expect(labels.filter((label) => !known.includes(label))).toEqual([]);
  });

  test('are all on the dashboard, except for those of every Node process', () => {
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
  test('have unique names, a severity and a runbook', () => {
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

  test('match the sections of the operations guide', () => {
    const documented = anchorsOf(read('docs/operations.md')).filter((anchor) => /^portcullis[a-z]/.test(anchor));
    expect(documented.sort()).toEqual(alerts.map(({ alert }) => alert.toLowerCase()).sort());
  });

  test('use only labels that their result has', () => {
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
test('promtool accepts the alerts, and their tests pass', ({ annotate }) => {
  const cwd = fileURLToPath(new URL('../deploy/prometheus', import.meta.url));
  const { error, status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...ALERT_TESTS], { cwd });
  if (error !== undefined) return annotate('promtool is not installed: skipped');
  expect(status, `${stdout}${stderr}`).toBe(0);
});

describe('the dashboard', () => {
  test('has panels that do not overlap, with unique ids', () => {
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

  test('uses only its own variables', () => {
    const known = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval', '__all'];
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name as string);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('uses only labels in legends that the expression keeps', () => {
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
