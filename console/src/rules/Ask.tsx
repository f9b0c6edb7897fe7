import type { Backtest, Rule } from '@portcullis/client';
import { Figures } from '../backtests/Outcome.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { formatDay } from '../parts/format.ts';
import { actionWords, typeWords } from './rule.ts';

interface Props {
  readonly rule: Rule;
  /** What is asked, if anything. */
  readonly asked: 'live' | 'retired' | undefined;
  readonly close: () => void;
  /** The newest try, if it is of the present text. */
  readonly tried: Backtest | undefined;
  readonly isBusy: boolean;
  readonly onTry: () => void;
  readonly onYes: () => void;
}

const Live = ({ rule, tried, isBusy, close, onTry, onYes }: Props) => {
  const outcome = tried?.outcome;
  return (
    <div className="stack">
      <p>
        From then on, matching {typeWords(rule.subject_types)} get: <strong>{actionWords(rule.action)}</strong>.
      </p>
      {outcome == null ? (
        <p className="notice is-plain">
          {tried?.status === 'running'
            ? 'The try of this text is still running.'
            : 'This text was not tried on the past. Try it first, to see what it would have caught and held.'}
        </p>
      ) : (
        <>
          <p className="dim">
            Tried on {formatDay(tried?.from ?? '')} to {formatDay(tried?.until ?? '')}:
          </p>
          <Figures outcome={outcome} isPolicy={false} />
        </>
      )}
      <div className="row-buttons">
        {outcome == null && tried?.status !== 'running' && (
          <Button look="primary" onClick={onTry} data-autofocus>
            Try on the past
          </Button>
        )}
        <Button look={outcome == null ? 'plain' : 'primary'} busy={isBusy} onClick={onYes}>
          {outcome == null ? 'Put live without a try' : 'Put live'}
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
        : 'The rule is no longer evaluated, permanently. It stays readable, and its name can be used again.'}
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
export const Ask = (props: Props) => {
  const { rule, asked, close } = props;
  const title =
    asked === 'live' ? `Put ${rule.name} live` : `${rule.state === 'draft' ? 'Delete' : 'Retire'} ${rule.name}`;
  return (
    <Dialog opened={asked !== undefined} onClose={close} title={title} size={asked === 'live' ? 760 : 440}>
      {asked === 'live' ? <Live {...props} /> : <Retire {...props} />}
    </Dialog>
  );
};
