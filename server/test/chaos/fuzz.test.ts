import { setTimeout as sleep } from 'node:timers/promises';
import {
  ERROR_STATUSES,
  ErrorBody,
  type ErrorCode,
  type Operation,
  operations,
  sessionOperations,
} from '@portcullis/contract';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { type Answer, type Connection, ConnectionDropped, openConnection } from '../fixtures/crash-connection.ts';
import { newFolder, SANDBOX_KEY, serve } from '../fixtures/crash-process.ts';
import { makeRandom } from '../fixtures/crash-random.ts';
import { readStore, verdictMismatches } from '../fixtures/crash-store.ts';
import { isSoak, rounds, SEED, timeoutMs } from '../fixtures/effort.ts';
import { CARD_NUMBERS, cardNumberSpellings } from '../fixtures/fuzz-bodies.ts';
import { fuzzRequest, type KnownIds, newKnownIds, type Request } from '../fixtures/fuzz-requests.ts';
import { storedBytes } from '../fixtures/records.ts';
import { isShared } from '../fixtures/shared-store.ts';

/** Fewer where every call goes to PostgreSQL: on a slow machine, calls would wait until their time is up. */
const CALLERS = isShared ? 8 : 16;
const REQUESTS_EACH = rounds(isShared ? 400 : 240, 62_500);
const DEADLINE_MS = 40_000;
const PATIENCE_MS = 300;
const MAX_IDS = 200;
/** The most that memory may grow from the first half of the requests to the second. A short run still fills its caches. */
const MAX_GROWTH = isSoak ? 1.2 : 2;

/** Statuses that must occur. Otherwise the requests are not varied enough to prove anything. */
const REACHED = [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 431];

const checkError = Compile(ErrorBody);
/** Response checks by method and path; the paths with the fewest parameters first, as routing prefers them. */
const checks = Object.values<Pick<Operation, 'method' | 'path' | 'params' | 'response'>>({
  ...operations,
  ...sessionOperations,
})
  .map(({ method, path, params, response }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters: Object.keys(params ?? {}).length,
    check: response === undefined ? undefined : Compile(response),
  }))
  .sort((a, b) => a.parameters - b.parameters);

/** The path that was really sent: a broken path may be the path of another operation. */
const sentPath = ({ bytes }: Request): string => bytes.toString('latin1').split(/[ ?#\r\n]/, 2)[1] ?? '';
const checkOf = (request: Request) => {
  const path = sentPath(request);
  return checks.find((one) => one.method === request.method && one.pattern.test(path))?.check;
};
const INTERNALS = /SQLITE|SQL|UNIQUE|constraint|node:|\bat \S+ \(|\.ts:\d|\/node_modules\//;

/** Why a response breaks the contract; undefined where it does not. */
const violationOf = (request: Request, { status, headers, text }: Answer): string | undefined => {
  // `GET /` leads to the console.
  if (status === 302 && headers.location === '/console') return undefined;
  if (status >= 500 || status < 200 || (status >= 300 && status < 400)) return `status ${status}`;
  if (headers['x-request-id'] === undefined || headers['x-api-version'] === undefined) return 'no id or version';
  if (request.method === 'HEAD') return undefined;
  if (status === 204) return text === '' ? undefined : 'a body where there is none';
  if (status === 200 && sentPath(request).endsWith('/export'))
    return /^(?:text\/csv|application\/x-ndjson);/.test(headers['content-type'] ?? '') ? undefined : 'not a file';
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `type ${headers['content-type']}`;
  const json = JSON.parse(text);
  if (status < 300) {
    const check = checkOf(request);
    return check === undefined || check.Check(json) ? undefined : `does not match the contract: ${text}`;
  }
  if (!checkError.Check(json)) return `no error object: ${text}`;
  const { code, message, request_id } = json.error;
  // Bytes that never became a request have no code of their own.
  const expected = status === 431 || status === 408 ? 'invalid_request' : undefined;
  if (expected === undefined ? ERROR_STATUSES[code as ErrorCode] !== status : code !== expected)
    return `${status} ${code}`;
  if (request_id !== headers['x-request-id']) return 'another request id in the body';
  if (status === 405 && headers.allow === undefined) return '405 without Allow';
  const isOfSession = code === 'invalid_session' || code === 'invalid_sign_in';
  if (status === 401 && !isOfSession && headers['www-authenticate'] !== 'Bearer') return '401 without WWW-Authenticate';
  return INTERNALS.test(message) ? `reveals internals: ${message}` : undefined;
};

interface Tally {
  requests: number;
  readonly statuses: Map<number, number>;
  /** Decisions in responses, without replays. */
  readonly decided: Set<string>;
  /** Malformed requests without a response. */
  unanswered: number;
  readonly violations: string[];
}

const learn = (known: KnownIds, json: Record<string, unknown>): void => {
  for (const [name, ids] of Object.entries(known)) {
    const id = json[name];
    if (typeof id === 'string' && ids.length < MAX_IDS) ids.push(id);
  }
};

/** A caller that sends requests in sequence, on as few connections as the server allows. */
const caller = async (port: number, number: number, tally: Tally): Promise<void> => {
  const random = makeRandom(SEED + number);
  const known = newKnownIds();
  let connection: Connection | undefined;
  let mayClose = true;

  const note = (request: Request, answer: Answer): void => {
    tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
    // An exported file has several lines of JSON.
    if (answer.status >= 300 || !answer.text.startsWith('{') || request.operation === 'exportScreenings') return;
    const json = JSON.parse(answer.text);
    learn(known, json);
    const isScreened = 'transaction_id' in json || 'event_id' in json;
    if (isScreened && request.method === 'POST' && answer.headers['idempotent-replayed'] === undefined)
      tally.decided.add(json.decision_id);
  };
  const report = (index: number, request: Request, why: string): void => {
    const sent = JSON.stringify(request.bytes.toString('latin1'));
    tally.violations.push(
      `seed ${SEED}, caller ${number}, request ${index}, ${request.operation}: ${why}\n${sent.slice(0, 1500)}`,
    );
  };

  for (let index = 0; index < REQUESTS_EACH; index++) {
    const request = fuzzRequest(random, index, known);
    if (connection !== undefined && !connection.isOpen() && !mayClose)
      report(index, request, 'the connection was closed before it');
    if (request.malformed || connection === undefined || !connection.isOpen()) {
      if (request.malformed) connection?.close();
      connection = openConnection(port, { deadlineMs: DEADLINE_MS });
    }
    mayClose = request.malformed;
    try {
      const answering = connection.send(request.bytes, request.method === 'HEAD');
      // A broken message may announce bytes that never come. Ending too early would lose the response to a complete one.
      const patience = request.malformed ? setTimeout(connection.finish, PATIENCE_MS) : undefined;
      const answer = await answering.finally(() => clearTimeout(patience));
      if (answer.headers.connection === 'close') {
        mayClose = true;
        connection.close();
      }
      const violation = violationOf(request, answer);
      if (violation !== undefined) report(index, request, violation);
      note(request, answer);
    } catch (error) {
      if (error instanceof ConnectionDropped && request.malformed) tally.unanswered++;
      else report(index, request, (error as Error).message);
    }
    if (request.malformed) connection.close();
    tally.requests++;
    if (tally.violations.length > 5) break;
  }
  connection?.close();
};

const residentBytes = async (url: string): Promise<number> => {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${SANDBOX_KEY}` } });
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(await response.text())?.[1]);
};

/** Measures the memory of the service until `isOver`: the most of each half of the requests. */
const watchMemory = async (url: string, tally: Tally, isOver: () => boolean) => {
  const most = [0, 0];
  while (!isOver()) {
    const half = tally.requests < (CALLERS * REQUESTS_EACH) / 2 ? 0 : 1;
    most[half] = Math.max(most[half] as number, await residentBytes(url));
    await sleep(500);
  }
  return most as [number, number];
};

test(`no request, however broken, makes the service fail, hang, drop a connection, grow or store a partial result (seed ${SEED})`, {
  timeout: timeoutMs(180_000),
}, async () => {
  const dataDir = newFolder();
  const server = await serve(dataDir, { LOG_LEVEL: 'debug' });
  const tally: Tally = { requests: 0, statuses: new Map(), decided: new Set(), unanswered: 0, violations: [] };
  let isOver = false;
  const memory = watchMemory(server.url, tally, () => isOver);
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(server.port, number, tally)));
  isOver = true;
  expect(tally.violations).toEqual([]);
  const [before, after] = await memory;
  expect(after / before).toBeLessThan(MAX_GROWTH);
  expect(tally.requests).toBe(CALLERS * REQUESTS_EACH);
  expect([...tally.statuses.keys()]).toEqual(expect.arrayContaining(REACHED));

  const ready = await fetch(`${server.url}/readyz`);
  expect(ready.status).toBe(200);
  server.kill('SIGTERM');
  expect(await server.exited).toEqual({ code: 0, signal: null });

  const { screenings, cases, integrity } = await readStore(dataDir);
  expect(integrity).toBe('ok');
  const stored = new Set(screenings.map(({ id }) => `dec_${id}`));
  expect([...tally.decided].filter((id) => !stored.has(id))).toEqual([]);
  expect(stored.size - tally.decided.size).toBeLessThanOrEqual(tally.unanswered);
  expect(verdictMismatches(screenings)).toEqual([]);
  const flagged = screenings.filter(({ verdict }) => JSON.parse(verdict).decision === 'review').map(({ id }) => id);
  expect(cases.map(({ id }) => id)).toEqual(flagged.sort());

  const log = server.stdout() + server.stderr();
  expect(log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
  const bytes = await storedBytes(dataDir);
  const spellings = CARD_NUMBERS.flatMap(cardNumberSpellings);
  expect(spellings.filter((spelling) => log.includes(spelling) || bytes.includes(spelling))).toEqual([]);
});
