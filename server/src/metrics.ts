import { DECISIONS, type DecisionValue, SUBJECT_TYPES, type SubjectType } from '@portcullis/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The library looks its labels up by a joined string at every call, which costs more than the rest of the answer's bookkeeping. What
 * is counted with every request is therefore kept in plain arrays and handed to it when it is asked for.
 */
const makeLatencies = (registry: Registry, name: string, help: string) => {
  const byOperation = new Map<string, Map<number, Float64Array>>();
  const SUM = LATENCY_SECONDS.length + 1;
  const labelled = (operation: string, status: number, buckets: Float64Array) => {
    const labels = { operation, status };
    let total = 0;
    const values: { labels: object; value: number; metricName: string }[] = [...LATENCY_SECONDS, '+Inf'].map(
      (le, index) => {
        total += buckets[index] as number;
        return { labels: { ...labels, le }, value: total, metricName: `${name}_bucket` };
      },
    );
    values.push({ labels, value: buckets[SUM] as number, metricName: `${name}_sum` });
    values.push({ labels, value: total, metricName: `${name}_count` });
    return values;
  };
  registry.registerMetric({
    name,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...byOperation].flatMap(([operation, statuses]) =>
        [...statuses].flatMap(([status, buckets]) => labelled(operation, status, buckets)),
      ),
    }),
  } as never);
  return (operation: string, status: number, seconds: number): void => {
    let statuses = byOperation.get(operation);
    if (statuses === undefined) {
      statuses = new Map();
      byOperation.set(operation, statuses);
    }
    let buckets = statuses.get(status);
    if (buckets === undefined) {
      buckets = new Float64Array(SUM + 1);
      statuses.set(status, buckets);
    }
    let bucket = 0;
    while (bucket < LATENCY_SECONDS.length && seconds > (LATENCY_SECONDS[bucket] as number)) bucket++;
    buckets[bucket] = (buckets[bucket] as number) + 1;
    buckets[SUM] = (buckets[SUM] as number) + seconds;
  };
};

const makeTally = (registry: Registry, name: string, help: string) => {
  const counts = { transaction: { allow: 0, review: 0, block: 0 }, event: { allow: 0, review: 0, block: 0 } };
  new Counter({
    name,
    help,
    labelNames: ['type', 'decision'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const type of SUBJECT_TYPES)
        for (const decision of DECISIONS) this.inc({ type, decision }, counts[type][decision]);
    },
  });
  return (type: SubjectType, decision: DecisionValue): void => {
    counts[type][decision]++;
  };
};

/** Every outcome is there from the start: one that appeared with its first event would hide that event from `increase()`. */
const makeOutcomes = <T extends string>(registry: Registry, name: string, help: string, outcomes: readonly T[]) => {
  const counter = new Counter({ name, help, labelNames: ['outcome'] as const, registers: [registry] });
  for (const outcome of outcomes) counter.inc({ outcome }, 0);
  return { inc: (of: { readonly outcome: T }, count = 1): void => counter.inc(of, count) };
};

export const makeMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: makeLatencies(registry, 'portcullis_http_request_seconds', 'Time to answer, by operation and status.'),
    screenings: makeTally(
      registry,
      'portcullis_screenings_total',
      'Screenings committed, by subject type and decision.',
    ),
    commits: new Histogram({
      name: 'portcullis_commit_seconds',
      help: 'Time a group commit took.',
      buckets: LATENCY_SECONDS,
      registers,
    }),
    commitUnits: new Histogram({
      name: 'portcullis_commit_units',
      help: 'Writes that shared one commit.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    }),
    storeFaults: new Counter({
      name: 'portcullis_store_faults_total',
      help: 'Faults of the store: writes, reads and checkpoints that failed.',
      registers,
    }),
    shed: new Counter({
      name: 'portcullis_screenings_shed_total',
      help: 'Screenings refused before any work, because the process was behind.',
      registers,
    }),
    swept: new Counter({
      name: 'portcullis_swept_total',
      help: 'Screenings deleted at the end of their retention.',
      labelNames: ['table'] as const,
      registers,
    }),
    trainings: makeOutcomes(
      registry,
      'portcullis_trainings_total',
      'Trainings of models for accounts, by whether they came to an end.',
      ['done', 'failed'],
    ),
    deliveries: makeOutcomes(
      registry,
      'portcullis_deliveries_total',
      'Attempts to deliver a webhook message, by what became of the delivery.',
      ['delivered', 'to_be_retried', 'failed'],
    ),
    ruleErrors: new Counter({
      name: 'portcullis_rule_errors_total',
      help: "Failures of accounts' own rules, each of which counted as not matched.",
      registers,
    }),
    /** What is owed to webhook endpoints, measured when somebody asks. */
    owed: (measure: () => Promise<{ count: number; oldestSeconds: number }>): void => {
      new Gauge({
        name: 'portcullis_deliveries_owed',
        help: 'Deliveries still owed to enabled endpoints.',
        registers,
        async collect() {
          this.set((await measure()).count);
        },
      });
      new Gauge({
        name: 'portcullis_deliveries_oldest_owed_seconds',
        help: 'Age of the oldest delivery still owed to an enabled endpoint.',
        registers,
        async collect() {
          this.set((await measure()).oldestSeconds);
        },
      });
    },
    gauge: (name: string, help: string, read: () => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
  };
};
export type Metrics = ReturnType<typeof makeMetrics>;
