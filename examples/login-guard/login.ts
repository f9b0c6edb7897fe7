import { randomBytes, randomInt, scryptSync, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { judge } from './guard.ts';

const HOST = '127.0.0.1';
const MAX_BODY_BYTES = 10_000;
const CODE_MS = 10 * 60_000;
const MAX_TRIES = 3;

const salt = randomBytes(16);
const hash = (password: string): Buffer => scryptSync(password, salt, 32);
/** Stands in for a database. */
const passwords = new Map([['ada', hash('correct horse battery staple')]]);
const UNKNOWN_USER = hash(randomBytes(16).toString('hex'));
// Unknown users are compared too. Otherwise the response time would reveal who has an account.
const isPasswordOf = (user: string, password: string): boolean =>
  timingSafeEqual(hash(password), passwords.get(user) ?? UNKNOWN_USER);

const sessions = new Map<string, string>();
const challenges = new Map<string, { user: string; code: string; until: number; tries: number }>();

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly cookie?: string;
}
/** The one response to a rejected login: an attacker learns neither which part was wrong nor that the attempt was detected. */
const REFUSED: Answer = { status: 401, body: { error: 'User or password is wrong.' } };

const letIn = (user: string): Answer => {
  const session = randomBytes(24).toString('base64url');
  sessions.set(session, user);
  return { status: 200, body: { welcome: user }, cookie: `session=${session}; HttpOnly; Secure; SameSite=Lax; Path=/` };
};

const askForCode = (user: string): Answer => {
  const challenge = randomBytes(24).toString('base64url');
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  challenges.set(challenge, { user, code, until: Date.now() + CODE_MS, tries: 0 });
  // Stands in for an e-mail or a text message.
  console.log(`code for ${user}: ${code}`);
  return { status: 202, body: { step_up: 'code', challenge } };
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
type Body = Readonly<Record<string, unknown>>;

const login = async (body: Body, ipAddress: string | undefined): Promise<Answer> => {
  const [user, password] = [text(body.user), text(body.password)];
  if (user === '' || user.length > 255) return REFUSED;
  const isPasswordRight = isPasswordOf(user, password);
  const deviceToken = text(body.device_token) || undefined;
  const verdict = await judge({ user, isPasswordRight, ipAddress, deviceToken });
  if (!isPasswordRight || verdict === 'block') return REFUSED;
  return verdict === 'allow' ? letIn(user) : askForCode(user);
};

const enterCode = (body: Body): Answer => {
  const id = text(body.challenge);
  const challenge = challenges.get(id);
  if (challenge === undefined || challenge.until < Date.now() || ++challenge.tries > MAX_TRIES) return REFUSED;
  if (challenge.code !== text(body.code)) return REFUSED;
  challenges.delete(id);
  return letIn(challenge.user);
};

const readBody = async (request: IncomingMessage): Promise<Body | undefined> => {
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

const answer = async (request: IncomingMessage): Promise<Answer> => {
  const body = request.method === 'POST' ? await readBody(request) : undefined;
  if (body !== undefined && request.url === '/login') return login(body, addressOf(request));
  if (body !== undefined && request.url === '/login/code') return enterCode(body);
  return { status: 400, body: { error: 'POST JSON to /login or /login/code.' } };
};

const server = createServer(async (request, response) => {
  try {
    const { status, body, cookie } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json', ...(cookie ? { 'set-cookie': cookie } : {}) });
    response.end(JSON.stringify(body));
  } catch (error) {
    console.error((error as Error).message);
    response.writeHead(500).end();
  }
});
server.listen(Number(process.env.PORT ?? 8081), HOST, () => {
  console.log(`listening: http://${HOST}:${(server.address() as AddressInfo).port}`);
});
