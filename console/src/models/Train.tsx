import type { Training } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Field } from '../parts/Field.tsx';
import { formatDayTime, formatShare } from '../parts/format.ts';
import { problemOf } from '../parts/problem.ts';
import { Time } from '../parts/Time.tsx';

const EVERY_MS = 1000;
const SHOWN = 8;

/** The newest trainings, read again while one runs. A new model appears when it ends. */
export const useTrainings = (): readonly Training[] | undefined => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const trainings = useQuery({
    queryKey: [environment, 'trainings'],
    queryFn: ({ signal }) => client.models.listTrainings({ limit: SHOWN }, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.trainings.some(({ status }) => status === 'running') === true ? EVERY_MS : false,
  }).data?.trainings;
  const ended = trainings?.find(({ status }) => status !== 'running')?.training_id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the models change when another training has ended
  useEffect(() => void queries.invalidateQueries({ queryKey: [environment, 'models'] }), [ended, environment, queries]);
  return trainings;
};

export const TrainForm = ({ close }: { close: () => void }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [days, setDays] = useState(30);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await client.models.train({ maturity_days: days });
      await queries.invalidateQueries({ queryKey: [environment, 'trainings'] });
      close();
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <p>
        Trains a model on your labelled items, in the background. If it passes all gates, it becomes the champion and
        scores both environments.
      </p>
      <Field
        label="Days until an item counts as legitimate"
        note="An allowed item without a label counts as legitimate after this time. Choose less if you learn of fraud sooner."
        type="number"
        min={0}
        max={89}
        required
        value={days}
        onChange={(event) => setDays(event.currentTarget.valueAsNumber)}
        data-autofocus
      />
      {problem !== undefined && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      <div className="row-buttons">
        <Button type="submit" look="primary" busy={isBusy}>
          Train
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
};

export const Trainings = ({ trainings }: { trainings: readonly Training[] }) => (
  <Card title="Trainings" note="Daily after 50 new labels, or on request">
    {trainings.length === 0 ? (
      <p className="dim">No training yet. It needs labelled fraud: resolve cases, or send labels.</p>
    ) : (
      <ol className="versions">
        {trainings.map(({ training_id, status, progress, message, model_version, started_at }) => (
          <li key={training_id}>
            <span className="version-what">
              <span
                className="training-words"
                role={status === 'running' ? 'status' : undefined}
                title={message ?? undefined}
              >
                {status === 'running' ? `Running, ${formatShare(Math.floor(progress * 100) / 100)}` : message}
              </span>
              {status === 'running' && <progress value={progress} max={1} aria-label="Progress of the training" />}
              <span className="dim">
                <Time at={started_at} as={formatDayTime} />
                {model_version !== null && (
                  <>
                    {' '}
                    · <Link href={`/models?model=${model_version}`}>{model_version}</Link>
                  </>
                )}
              </span>
            </span>
            <span className={`badge badge-${{ running: 'accent', done: 'plain', failed: 'block' }[status]}`}>
              {status}
            </span>
          </li>
        ))}
      </ol>
    )}
  </Card>
);
