import { TransactionRequest } from '@portcullis/contract';
import Fastify from 'fastify';
import { bodyReader } from '../server/src/validation/body.ts';

/** The lower bound of a screening: the same Fastify server reads and validates the same body and returns a constant. */
const RESPONSE = JSON.stringify({
  transaction_id: 'txn_01kcy5v3n7f2q8r4t6w9x0y1z2',
  user_id: 'user_1842',
  amount: 49.9,
  currency: 'EUR',
  risk_score: 12,
  decision: 'allow',
  signals: ['new_device'],
  screened_at: '2026-11-14T09:30:00.123Z',
  decision_id: 'dec_01kcy5v3n7f2q8r4t6w9x0y1z2',
  case_id: null,
});
const readBody = bodyReader<TransactionRequest>(TransactionRequest);
const app = Fastify({ logger: false });
app.post('/v1/transactions/screen', (request, reply) => {
  readBody(request.body, [], () => '');
  reply.header('content-type', 'application/json; charset=utf-8').send(RESPONSE);
});
await app.listen({ host: '127.0.0.1', port: 0 });

process.on('message', (message) => {
  if (message === 'stop') process.exit(0);
  process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() });
});
process.send?.({ port: (app.server.address() as { port: number }).port });
