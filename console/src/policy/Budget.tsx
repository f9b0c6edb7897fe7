import type { Policy, ThresholdProposal } from '@portcullis/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { formatCount } from '../parts/format.ts';
import { problemOf } from '../parts/problem.ts';
import { useWhyNot } from '../parts/use-why-not.ts';
import { notify } from '../shell/notices.ts';
import { type ItemType, TYPE_TITLES } from './change.ts';
import type { Thresholds } from './effect.ts';

interface Props {
  readonly type: ItemType;
  readonly policy: Policy;
  readonly proposal: ThresholdProposal;
  readonly draft: Thresholds;
  readonly onUse: (thresholds: Thresholds) => void;
}

const Form = ({ type, policy, proposal, close }: Props & { close: () => void }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [reviewed, setReviewed] = useState(proposal.budget.reviewed_per_10k);
  const [blocked, setBlocked] = useState(proposal.budget.blocked_per_10k);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    // The budget is replaced as a whole: the one of the other type is sent with it.
    const { transaction, event: events } = policy.budget;
    const kept = { ...(transaction !== null && { transaction }), ...(events !== null && { event: events }) };
    try {
      await client.policy.change({
        budget: { ...kept, [type]: { reviewed_per_10k: reviewed, blocked_per_10k: blocked } },
      });
      await queries.invalidateQueries({ queryKey: [environment, 'policy'] });
      close();
    } catch (error) {
      notify(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <p className="dim">
        How many of 10,000 legitimate {TYPE_TITLES[type].toLowerCase()} you accept to hold. The budget itself changes no
        decision: the service proposes thresholds that stay within it.
      </p>
      <div className="field-pair">
        <Field
          label="Reviewed or blocked"
          type="number"
          min={0}
          max={10_000}
          step="any"
          required
          value={reviewed}
          onChange={(event) => setReviewed(event.currentTarget.valueAsNumber)}
          data-autofocus
        />
        <Field
          label="Of these, blocked"
          type="number"
          min={0}
          max={10_000}
          step="any"
          required
          value={blocked}
          onChange={(event) => setBlocked(event.currentTarget.valueAsNumber)}
        />
      </div>
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          Save the budget
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

/** The thresholds that the service proposes for the budget of legitimate items. */
export const Budget = (props: Props) => {
  const { proposal, draft, onUse } = props;
  const [isOpen, setOpen] = useState(false);
  const why = useWhyNot('tune');
  const { budget, is_default_budget, proposed, message } = proposal;
  const isUsed = proposed?.thresholds.review === draft.review && proposed.thresholds.block === draft.block;
  return (
    <div className="budget">
      <span>
        <strong>By budget</strong>{' '}
        <span className="dim">
          Of 10,000 legitimate, review at most {formatCount(budget.reviewed_per_10k)} and block at most{' '}
          {formatCount(budget.blocked_per_10k)}
          {is_default_budget && ' (the default)'}:
        </span>{' '}
        {proposed === null ? (
          <span className="dim">{message}</span>
        ) : (
          <strong className="num">
            review {proposed.thresholds.review}, block {proposed.thresholds.block}
          </strong>
        )}
      </span>
      <span className="row-buttons">
        {proposed !== null && (
          <Button
            small
            why={isUsed ? 'These thresholds are already set above.' : undefined}
            onClick={() => onUse(proposed.thresholds)}
          >
            Use these
          </Button>
        )}
        <Button small why={why} onClick={() => setOpen(true)}>
          Change the budget
        </Button>
      </span>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title="Budget of legitimate items" size={460}>
        <Form {...props} close={() => setOpen(false)} />
      </Dialog>
    </div>
  );
};
