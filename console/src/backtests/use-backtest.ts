import type { Backtest, BacktestRequest } from '@portcullis/client';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { notify } from '../shell/notices.ts';

const EVERY_MS = 700;

/** A backtest, read again while it runs. */
export const useBacktest = (id: string | undefined): UseQueryResult<Backtest> => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'backtest', id],
    queryFn: ({ signal }) => client.backtests.get(id as string, { signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? EVERY_MS : false),
  });
};

/** Starts and cancels backtests. The service runs one at a time. */
export const useBacktests = () => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const run = async (call: () => Promise<Backtest>): Promise<Backtest | undefined> => {
    setBusy(true);
    try {
      const backtest = await call();
      queries.setQueryData([environment, 'backtest', backtest.backtest_id], backtest);
      await queries.invalidateQueries({ queryKey: [environment, 'backtests'] });
      return backtest;
    } catch (error) {
      notify((error as Error).message);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    start: (request: BacktestRequest) => run(() => client.backtests.create(request)),
    cancel: (id: string) => run(() => client.backtests.cancel(id)),
  };
};
