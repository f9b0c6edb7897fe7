import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient, type Fetch } from './index.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A service that never responds. `startedAtMs` has the start of each attempt, `pending` the number of open ones. */
const makeHangingService = () => {
  const start = performance.now();
  const state = { startedAtMs: [] as number[], pending: 0 };
  const hang: Fetch = (_url, { signal }) => {
    state.startedAtMs.push(performance.now() - start);
    state.pending++;
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        state.pending--;
        reject(signal.reason);
      });
    });
  };
  return { state, fetch: hang };
};

test('a call to a service that never responds ends at the deadline, and not before', async () => {
  const { state, fetch } = makeHangingService();
  const client = createClient({ url: 'http://localhost', apiKey: 'sk_test_1', fetch, deadlineMs: 600, maxRetries: 1 });
  const onError = vi.fn();
  client.cases.list().catch(onError);
  await vi.advanceTimersByTimeAsync(599);
  expect(onError).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'deadline_exceeded', attempts: 2 }));
  expect(state.pending).toBe(0);
});

test('an attempt that hangs is given up after half of the remaining time, so that a retry fits before the deadline', async () => {
  const { state, fetch } = makeHangingService();
  const client = createClient({ url: 'http://localhost', apiKey: 'sk_test_1', fetch, deadlineMs: 4000 });
  const onError = vi.fn();
  client.cases.list().catch(onError);
  await vi.advanceTimersByTimeAsync(1999);
  expect(state).toEqual({ startedAtMs: [0], pending: 1 });
  await vi.advanceTimersByTimeAsync(2001);
  expect(onError).toHaveBeenCalledOnce();
  const [, second = 0] = state.startedAtMs;
  expect(second).toBeGreaterThanOrEqual(2050);
  expect(second).toBeLessThanOrEqual(2100);
});

test('an abort between two attempts rejects at once with the reason of the signal', async () => {
  const overloaded: Fetch = async () => ({
    status: 503,
    headers: new Headers({ 'retry-after': '9' }),
    text: async () => '{"error":{"code":"unavailable","message":"The service is overloaded."}}',
  });
  const fetch = vi.fn(overloaded);
  const client = createClient({ url: 'http://localhost', apiKey: 'sk_test_1', fetch, deadlineMs: 60_000 });
  const controller = new AbortController();
  const onError = vi.fn();
  client.cases.list({}, { signal: controller.signal }).catch(onError);
  await vi.advanceTimersByTimeAsync(5000);
  expect(onError).not.toHaveBeenCalled();
  const reason = new Error('the customer left');
  controller.abort(reason);
  await vi.advanceTimersByTimeAsync(0);
  expect(onError).toHaveBeenCalledExactlyOnceWith(reason);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
