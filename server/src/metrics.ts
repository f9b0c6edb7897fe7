import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const makeMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'portcullis_http_request_seconds',
      help: 'Time to answer, by operation and status.',
      labelNames: ['operation', 'status'] as const,
      buckets: LATENCY_SECONDS,
      registers,
    }),
    screenings: new Counter({
      name: 'portcullis_screenings_total',
      help: 'Screenings committed, by subject type and decision.',
      labelNames: ['type', 'decision'] as const,
      registers,
    }),
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
      help: 'Writes the store did not take.',
      registers,
    }),
    swept: new Counter({
      name: 'portcullis_swept_total',
      help: 'Rows deleted at the end of their retention.',
      labelNames: ['table'] as const,
      registers,
    }),
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
