import { expect, test } from 'vitest';
import { client, type Json, makeClock, startService } from '../fixtures/harness.ts';
import { backtestOf, linesOf, makeHistory, readScores, timeOf, write } from '../fixtures/history-files.ts';

const ITEMS = 150;
const NEVER_MS = 10_000 * 86_400_000;

test('the service and backtest give the same verdicts for the same history', async () => {
  const history = makeHistory(30).slice(0, ITEMS);
  expect(new Set(history.map(({ kind }) => kind))).toEqual(new Set(['transaction', 'event']));
  const { scores } = await backtestOf(write(linesOf(history)), { labelDelay: NEVER_MS });
  const tested = readScores(scores);

  const clock = makeClock();
  const service = await startService({ clock: clock.now });
  const { pay, act, get } = client(service, await service.key());
  const lived: Json[] = [];
  for (const item of history) {
    const { kind, occurred_at: _at, label: _label, attack: _attack, ...body } = item;
    clock.set(timeOf(item));
    const { status, json } = await (kind === 'event' ? act(body) : pay(body));
    expect(status).toBe(200);
    lived.push(json);
  }
  expect(lived.map(({ risk_score, decision }, row) => ({ row, risk_score, decision }))).toEqual(
    tested.map(({ row, risk_score, decision }) => ({ row, risk_score, decision })),
  );

  // The scores file has no signals, but the result counts each of them.
  const { json } = await backtestOf(write(linesOf(history)), { labelDelay: NEVER_MS });
  const counts = new Map<string, number>();
  for (const { signals } of lived) for (const name of signals) counts.set(name, (counts.get(name) ?? 0) + 1);
  expect(new Map(json.top_signals.map(({ name, items }: Json) => [name, items]))).toEqual(counts);
  const { json: decision } = await get(`/v1/decisions/${lived.at(-1)?.decision_id}`);
  expect(decision.model_version).toBe(json.model_version);
  await service.stop();
});
