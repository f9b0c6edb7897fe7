import type { Backtest, Rule } from '@portcullis/client';
import { Figures } from '../backtests/Outcome.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { formatDay } from '../parts/format.ts';
import { actionWords, typeWords } from './rule.ts';

interface Props {
  readonly rule: Rule;
  /** The state change to confirm, if any. */
  readonly asked: 'live' | 'retired' | undefined;
  readonly close: () => void;
  /** The newest backtest, if it is of the current text. */
  readonly backtest: Backtest | undefined;
  readonly isBusy: boolean;
  readonly onBacktest: () => void;
  readonly onYes: () => void;
}

const Live = ({ rule, backtest, isBusy, close, onBacktest, onYes }: Props) => {
  const outcome = backtest?.outcome;
  return (
    <div className="stack">
      <p>
        From now on, matching {typeWords(rule.subject_types)} get: <strong>{actionWords(rule.action)}</strong>.
      </p>
      {outcome == null ? (
        <p className="notice is-plain">
          {backtest?.status === 'running'
            ? 'The backtest of this version is still running.'
            : 'This version has not been backtested. Backtest it first to see what it would have caught and held.'}
        </p>
      ) : (
        <>
          <p className="dim">
            Backtest of {formatDay(backtest?.from ?? '')} to {formatDay(backtest?.until ?? '')}:
          </p>
          <Figures outcome={outcome} isPolicy={false} />
        </>
      )}
      <div className="row-buttons">
        {outcome == null && backtest?.status !== 'running' && (
          <Button look="primary" onClick={onBacktest} data-autofocus>
            Backtest
          </Button>
        )}
        <Button look={outcome == null ? 'plain' : 'primary'} busy={isBusy} onClick={onYes}>
          {outcome == null ? 'Go live without a backtest' : 'Go live'}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </div>
  );
};

const Retire = ({ rule, isBusy, close, onYes }: Props) => (
  <div className="stack">
    <p>
      {rule.state === 'draft' && rule.hits.matched === 0
        ? 'The draft never matched anything, so it is deleted.'
        : 'The rule is never evaluated again. It stays readable, and its name can be used again.'}
    </p>
    <div className="row-buttons">
      <Button look="reject" busy={isBusy} onClick={onYes} data-autofocus>
        {rule.state === 'draft' ? 'Delete' : 'Retire'}
      </Button>
      <Button onClick={close}>Cancel</Button>
    </div>
  </div>
);

/** Asks before a step that customers notice, or that cannot be undone. */
export const ConfirmStateChange = (props: Props) => {
  const { rule, asked, close } = props;
  const title =
    asked === 'live' ? `Go live with ${rule.name}` : `${rule.state === 'draft' ? 'Delete' : 'Retire'} ${rule.name}`;
  return (
    <Dialog opened={asked !== undefined} onClose={close} title={title} size={asked === 'live' ? 760 : 440}>
      {asked === 'live' ? <Live {...props} /> : <Retire {...props} />}
    </Dialog>
  );
};
