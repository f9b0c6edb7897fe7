import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Beside, getRequest, measureBeside, screeningRequest } from './beside.ts';
import { KEY, startServer } from './process.ts';
import { storeCases } from './stored-cases.ts';
import { makeTraffic } from './traffic.ts';

/**
 * Screening of one tenant beside another tenant's ten readers, which page through long lists. The service must answer
 * screenings nearly as fast as beside the same number of requests that read nothing.
 */
export interface BesideReaders {
  readonly cases: number;
  readonly alone: Beside;
  readonly readers: Beside;
  /** The same number of requests per second as the readers. */
  readonly sameRate: Beside;
  /** The same number of connections as the readers, each as fast as it can. */
  readonly sameConnections: Beside;
  /** Beside a tenant that screens on many connections, each as fast as it can. */
  readonly flood: Beside;
}

const LIVE_KEY = KEY.replace('test', 'live');
const CASES = 100_000;
const READERS = 10;
const FLOOD = 128;
const PAGE = 100;

export const measureBesideReaders = async (): Promise<BesideReaders> => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-readers-'));
  try {
    const service = await startServer('./service-server.ts', { DATA_DIR: directory, API_KEYS: `${KEY},${LIVE_KEY}` });
    try {
      await storeCases(directory, CASES, 'approved');
      const offsets = Array.from({ length: 50 }, (_, index) => CASES - (index + 1) * PAGE);
      const pages = offsets.flatMap((offset) =>
        ['', '&status=approved'].map((filter) => getRequest(`/v1/cases?limit=${PAGE}&offset=${offset}${filter}`, KEY)),
      );
      const next = makeTraffic(6);
      const payments = Array.from({ length: 5000 }, () => screeningRequest(next(), KEY));
      const idle = [getRequest('/healthz')];
      const measured = await measureBeside({ port: service.target.port, key: LIVE_KEY }, makeTraffic(5), {
        alone: () => undefined,
        readers: () => ({ connections: READERS, requests: pages }),
        sameRate: ({ readers }) => ({
          connections: READERS,
          requests: idle,
          perSecond: readers?.backgroundPerSecond ?? 0,
        }),
        sameConnections: () => ({ connections: READERS, requests: idle }),
        flood: () => ({ connections: FLOOD, requests: payments }),
      });
      return { cases: CASES, ...measured };
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

if (import.meta.main) process.stdout.write(`${JSON.stringify(await measureBesideReaders(), undefined, 2)}\n`);
