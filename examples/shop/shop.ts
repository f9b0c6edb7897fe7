import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decide, type Outcome } from './checkout.ts';
import { CATALOGUE, CURRENCY, PAGE_HEADERS, page, script } from './page.ts';

const HOST = '127.0.0.1';
/** Room for a device token, which may have 4,096 characters. */
const MAX_BODY_BYTES = 16_384;
const MAX_OPEN_ORDERS = 10_000;

/** Stands in for a database: the outcome of each order, or null before it is submitted. */
const orders = new Map<string, Promise<Outcome> | null>();
const openOrder = (): string => {
  const id = randomUUID();
  orders.set(id, null);
  const [oldest] = orders.keys();
  if (orders.size > MAX_OPEN_ORDERS && oldest !== undefined) orders.delete(oldest);
  return id;
};

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}
const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const readBody = async (request: IncomingMessage): Promise<Record<string, unknown> | undefined> => {
  let received = '';
  for await (const chunk of request.setEncoding('utf8')) {
    received += chunk;
    if (received.length > MAX_BODY_BYTES) return undefined;
  }
  try {
    const body = JSON.parse(received);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
};

/** The caller's address. `X-Forwarded-For` is used only behind a proxy: otherwise any caller could choose an address. */
const addressOf = ({ headers, socket }: IncomingMessage): string | undefined => {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return (process.env.BEHIND_PROXY && forwarded) || socket.remoteAddress;
};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const pay = async (id: string, request: IncomingMessage): Promise<Answer> => {
  const { item, customer, ...rest } = (await readBody(request)) ?? {};
  const known = orders.get(id);
  if (known === undefined) return json(404, { error: 'Unknown order. Load the page again.' });
  // The price comes from the shop, never from the page.
  const bought = Object.hasOwn(CATALOGUE, String(item)) ? CATALOGUE[String(item)] : undefined;
  const buyer = text(customer);
  if (bought === undefined || buyer === undefined) return json(400, { error: 'Choose an item and enter a customer.' });
  const order = { id, item: String(item), amount: bought.amount, currency: CURRENCY };
  // Stored before it resolves: a button pressed twice pays once.
  const outcome =
    known ??
    decide(order, {
      customer: buyer,
      email: text(rest.email),
      ipAddress: addressOf(request),
      deviceToken: text(rest.device_token),
    });
  orders.set(id, outcome);
  return json(200, { outcome: await outcome });
};

const answer = async (request: IncomingMessage): Promise<Answer> => {
  const { method, url = '' } = request;
  if (method === 'GET' && url === '/') return { status: 200, headers: PAGE_HEADERS, body: page(openOrder()) };
  if (method === 'GET' && url === '/checkout.js')
    return { status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: script };
  const id = /^\/orders\/([\w-]+)$/.exec(url)?.[1];
  if (method === 'POST' && id !== undefined) return pay(id, request);
  return json(404, { error: 'Not found.' });
};

const server = createServer(async (request, response) => {
  try {
    const { status, headers, body } = await answer(request);
    response.writeHead(status, headers).end(body);
  } catch (error) {
    console.error((error as Error).message);
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8082), HOST, () => {
  console.log(`listening: http://${HOST}:${(server.address() as AddressInfo).port}`);
});
