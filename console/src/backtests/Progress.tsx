import type { Backtest } from '@portcullis/client';
import { Button } from '../parts/Button.tsx';
import { formatDay, formatShare } from '../parts/format.ts';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useBacktests } from './use-backtest.ts';

/** How far a running backtest is, or why it has no outcome. */
export const Progress = ({ backtest }: { backtest: Backtest }) => {
  const { cancel, isBusy } = useBacktests();
  const why = useWhyNot('review');
  if (backtest.status === 'failed')
    return (
      <p className="notice" role="alert">
        {backtest.message ?? 'The backtest failed.'}
      </p>
    );
  return (
    <div className="progress">
      <div className="progress-line">
        <span role="status">
          Deciding screenings from {formatDay(backtest.from)} to {formatDay(backtest.until)} again…
        </span>
        <span className="num">{formatShare(Math.floor(backtest.progress * 100) / 100)}</span>
        <Button small busy={isBusy} why={why} onClick={() => void cancel(backtest.backtest_id)}>
          Cancel
        </Button>
      </div>
      <progress value={backtest.progress} max={1} aria-label="Progress of the backtest" />
    </div>
  );
};
