import {
  ERROR_STATUSES,
  ErrorBody,
  type ErrorCode,
  type Operation,
  type OperationId,
  operations,
} from '@portcullis/contract';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { type Answer, type Connection, Dropped, openConnection } from './crash-connection.ts';
import { newFolder, serve } from './crash-process.ts';
import { makeRandom } from './crash-random.ts';
import { readStore, undecided } from './crash-store.ts';
import { CARD_NUMBERS, cardNumberSpellings } from './fuzz-bodies.ts';
import { fuzzRequest, type KnownIds, newKnownIds, type Request } from './fuzz-requests.ts';
import { isStored } from './records.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_114);
const CALLERS = 16;
const REQUESTS_EACH = 1_300;
const DEADLINE_MS = 15_000;
const PATIENCE_MS = 300;
const MOST_IDS = 200;

/** Answers that are to come up, or the requests are not varied enough to prove anything. */
const REACHED = [200, 201, 204, 400, 401, 404, 405, 409, 413, 415, 422, 431];

const checkError = Compile(ErrorBody);
const checks = new Map(
  Object.entries(operations as Record<string, Operation>).map(([id, of]) => [
    id as OperationId,
    of.response === undefined ? undefined : Compile(of.response),
  ]),
);
const INNARDS = /SQLITE|SQL|UNIQUE|constraint|node:|\bat \S+ \(|\.ts:\d|\/node_modules\//;

/** Why an answer is none the contract knows; undefined when it is one. */
const faultOf = ({ operation, method }: Request, { status, headers, text }: Answer): string | undefined => {
  if (status >= 500 || status < 200 || (status >= 300 && status < 400)) return `status ${status}`;
  if (headers['x-request-id'] === undefined || headers['x-api-version'] === undefined) return 'no id or version';
  if (method === 'HEAD') return undefined;
  if (status === 204) return text === '' ? undefined : 'a body where there is none';
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `type ${headers['content-type']}`;
  const json = JSON.parse(text);
  if (status < 300) {
    const check = method === operations[operation].method ? checks.get(operation) : undefined;
    return check === undefined || check.Check(json) ? undefined : `not as the contract says: ${text}`;
  }
  if (!checkError.Check(json)) return `no error object: ${text}`;
  const { code, message, request_id } = json.error;
  // What never became a request has no code of its own.
  const expected = status === 431 || status === 408 ? 'invalid_request' : undefined;
  if (expected === undefined ? ERROR_STATUSES[code as ErrorCode] !== status : code !== expected)
    return `${status} ${code}`;
  if (request_id !== headers['x-request-id']) return 'another request id in the body';
  if (status === 405 && headers.allow === undefined) return '405 without Allow';
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') return '401 without WWW-Authenticate';
  return INNARDS.test(message) ? `tells of its innards: ${message}` : undefined;
};

interface Tally {
  requests: number;
  readonly statuses: Map<number, number>;
  /** Decisions that were answered, replays aside. */
  readonly decided: Set<string>;
  /** Malformed requests for one that got no answer. */
  unanswered: number;
  readonly faults: string[];
}

const learn = (known: KnownIds, json: Record<string, unknown>): void => {
  for (const [name, ids] of Object.entries(known)) {
    const id = json[name];
    if (typeof id === 'string' && ids.length < MOST_IDS) ids.push(id);
  }
};

/** One caller that sends its requests one after the other, on as few connections as the server allows. */
const caller = async (port: number, number: number, tally: Tally): Promise<void> => {
  const random = makeRandom(SEED + number);
  const known = newKnownIds();
  let connection: Connection | undefined;
  let mayClose = true;

  const note = (request: Request, answer: Answer): void => {
    tally.statuses.set(answer.status, (tally.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 300 || !answer.text.startsWith('{')) return;
    const json = JSON.parse(answer.text);
    learn(known, json);
    const isScreened = 'transaction_id' in json || 'event_id' in json;
    if (isScreened && request.method === 'POST' && answer.headers['idempotent-replayed'] === undefined)
      tally.decided.add(json.decision_id);
  };
  const complain = (index: number, request: Request, why: string): void => {
    const sent = JSON.stringify(request.bytes.toString('latin1'));
    tally.faults.push(
      `seed ${SEED}, caller ${number}, request ${index}, ${request.operation}: ${why}\n${sent.slice(0, 1500)}`,
    );
  };

  for (let index = 0; index < REQUESTS_EACH; index++) {
    const request = fuzzRequest(random, index, known);
    if (connection !== undefined && !connection.isOpen() && !mayClose)
      complain(index, request, 'the connection was closed before it');
    if (request.malformed || connection === undefined || !connection.isOpen()) {
      if (request.malformed) connection?.close();
      connection = openConnection(port, { deadlineMs: DEADLINE_MS });
    }
    mayClose = request.malformed;
    try {
      const answering = connection.send(request.bytes, request.method === 'HEAD');
      // The rest that a broken message seems to promise never comes; who says so too early gets no answer to a whole one.
      const patience = request.malformed ? setTimeout(connection.finish, PATIENCE_MS) : undefined;
      const answer = await answering.finally(() => clearTimeout(patience));
      if (answer.headers.connection === 'close') {
        mayClose = true;
        connection.close();
      }
      const fault = faultOf(request, answer);
      if (fault !== undefined) complain(index, request, fault);
      note(request, answer);
    } catch (error) {
      if (error instanceof Dropped && request.malformed) tally.unanswered++;
      else complain(index, request, (error as Error).message);
    }
    if (request.malformed) connection.close();
    tally.requests++;
    if (tally.faults.length > 5) break;
  }
  connection?.close();
};

test(`no request, however broken, makes it fail, hang, drop a connection or store half a result (seed ${SEED})`, {
  timeout: 180_000,
}, async () => {
  const dataDir = newFolder();
  const server = await serve(dataDir, { LOG_LEVEL: 'debug' });
  const tally: Tally = { requests: 0, statuses: new Map(), decided: new Set(), unanswered: 0, faults: [] };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(server.port, number, tally)));
  expect(tally.faults).toEqual([]);
  expect(tally.requests).toBeGreaterThanOrEqual(20_000);
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
  expect(undecided(screenings)).toEqual([]);
  const flagged = screenings.filter(({ verdict }) => JSON.parse(verdict).decision === 'review').map(({ id }) => id);
  expect(cases.map(({ id }) => id)).toEqual(flagged.sort());

  const log = server.stdout() + server.stderr();
  expect(log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
  for (const spelling of CARD_NUMBERS.flatMap(cardNumberSpellings)) {
    expect([spelling, log.includes(spelling), await isStored(dataDir, spelling)]).toEqual([spelling, false, false]);
  }
});
