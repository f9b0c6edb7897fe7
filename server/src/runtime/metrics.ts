import { DECISIONS, type DecisionValue, SUBJECT_TYPES, type SubjectType } from '@portcullis/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Upper bounds of the buckets of latencies. One more bucket has the slower ones. */
export const LATENCY_SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/**
 * A histogram in plain arrays. The library looks up labels by a joined string at every call, which costs more than all
 * other bookkeeping of a request. Its text of some thousand series would delay screenings by tens of milliseconds.
 */
const makeLatencies = (name: string, help: string) => {
  const byOperation = new Map<string, Map<number, Float64Array>>();
  const SUM = LATENCY_SECONDS.length + 1;
  const textOf = (operation: string, status: number, buckets: Float64Array): string => {
    const labels = `operation="${operation}",status="${status}"`;
    let text = '';
    let total = 0;
    for (let bucket = 0; bucket < SUM; bucket++) {
      total += buckets[bucket] as number;
      text += `${name}_bucket{${labels},le="${LATENCY_SECONDS[bucket] ?? '+Inf'}"} ${total}\n`;
    }
    return `${text}${name}_sum{${labels}} ${buckets[SUM]}\n${name}_count{${labels}} ${total}\n`;
  };
  const text = (): string => {
    let all = `# HELP ${name} ${help}\n# TYPE ${name} histogram\n`;
    for (const [operation, statuses] of byOperation)
      for (const [status, buckets] of statuses) all += textOf(operation, status, buckets);
    return all;
  };
  const observe = (operation: string, status: number, seconds: number): void => {
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
  /** Responses per bucket since the start, of some operations with one status. */
  const counts = (operations: readonly string[], status: number): number[] =>
    Array.from({ length: SUM }, (_, bucket) =>
      operations.reduce((sum, operation) => sum + (byOperation.get(operation)?.get(status)?.[bucket] ?? 0), 0),
    );
  return { observe, text, counts };
};

/** A counter in plain fields, for the same reason. */
const makeDecisionCounter = (registry: Registry, name: string, help: string) => {
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

/** Every value starts at 0. A series that appears with its first event hides that event from `increase()`. */
const makeLabelledCounter = <Label extends string, T extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
  values: readonly T[],
) => {
  const counter = new Counter<string>({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value }, 0);
  return { inc: (labels: Readonly<Record<Label, T>>, count = 1): void => counter.inc(labels, count) };
};

export const makeMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const latencies = makeLatencies(
    'portcullis_http_request_seconds',
    'Response time in seconds, by operation and status.',
  );
  return {
    contentType: registry.contentType,
    /** All metrics in the text format of Prometheus. */
    text: async (): Promise<string> => `${await registry.metrics()}\n${latencies.text()}`,
    requests: latencies.observe,
    requestCounts: latencies.counts,
    screenings: makeDecisionCounter(
      registry,
      'portcullis_screenings_total',
      'Screenings stored, by subject type and decision.',
    ),
    commits: new Histogram({
      name: 'portcullis_commit_seconds',
      help: 'Duration of group commits in seconds.',
      buckets: [...LATENCY_SECONDS],
      registers,
    }),
    commitUnits: new Histogram({
      name: 'portcullis_commit_units',
      help: 'Writes per group commit.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    }),
    storeErrors: new Counter({
      name: 'portcullis_store_faults_total',
      help: 'Errors of the store: failed writes, reads and checkpoints.',
      registers,
    }),
    passwordHashes: new Counter({
      name: 'portcullis_password_hashes_total',
      help: 'Computations of a password hash: sign-ins, links and changed passwords.',
      registers,
    }),
    shed: new Counter({
      name: 'portcullis_screenings_shed_total',
      help: 'Screenings refused because the process was overloaded.',
      registers,
    }),
    refused: makeLabelledCounter(
      registry,
      'portcullis_requests_refused_total',
      'Requests refused because their account and environment had too many in progress, by reason.',
      'reason',
      ['too_many_waiting', 'waited_too_long'],
    ),
    swept: new Counter({
      name: 'portcullis_swept_total',
      help: 'Rows deleted at the end of their retention, by table.',
      labelNames: ['table'] as const,
      registers,
    }),
    connectionsClosed: makeLabelledCounter(
      registry,
      'portcullis_connections_closed_total',
      'Connections closed to keep a limit, by reason.',
      'reason',
      ['total_limit', 'address_limit', 'pipelined', 'unread', 'silent'],
    ),
    trainings: makeLabelledCounter(
      registry,
      'portcullis_trainings_total',
      'Trainings of account models, by outcome.',
      'outcome',
      ['done', 'failed'],
    ),
    deliveries: makeLabelledCounter(
      registry,
      'portcullis_deliveries_total',
      'Attempts to deliver a webhook message, by outcome.',
      'outcome',
      ['delivered', 'to_be_retried', 'failed'],
    ),
    auditStreamFailures: new Counter({
      name: 'portcullis_audit_stream_failures_total',
      help: 'Failed attempts to hand audit entries over to AUDIT_STREAM.',
      registers,
    }),
    ruleErrors: new Counter({
      name: 'portcullis_rule_errors_total',
      help: "Failed evaluations of accounts' own rules. A failed rule does not match.",
      registers,
    }),
    /** Pending webhook deliveries, measured when metrics are read. */
    pendingDeliveries: (measure: () => Promise<{ count: number; oldestSeconds: number }>): void => {
      new Gauge({
        name: 'portcullis_deliveries_owed',
        help: 'Deliveries to enabled endpoints that are not done.',
        registers,
        async collect() {
          this.set((await measure()).count);
        },
      });
      new Gauge({
        name: 'portcullis_deliveries_oldest_owed_seconds',
        help: 'Age of the oldest delivery to an enabled endpoint that is not done, in seconds.',
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
