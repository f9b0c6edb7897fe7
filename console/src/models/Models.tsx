import type { Model, ModelSummary } from '@portcullis/client';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDayTime, formatName, plural } from '../parts/format.ts';
import { problemOf } from '../parts/problem.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { notify } from '../shell/notices.ts';
import { Curve } from './Curve.tsx';
import { Gates } from './Gates.tsx';
import { ModelBadge, ModelCard } from './ModelCard.tsx';
import { Promote } from './Promote.tsx';
import { TrainForm, Trainings, useTrainings } from './Train.tsx';
import '../cases/reject.css';
import '../parts/table.css';
import '../parts/day-bars.css';
import '../rules/tune.css';
import './models.css';

const useModel = (version: string | undefined): UseQueryResult<Model> => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'models', version],
    queryFn: ({ signal }) => client.models.get(version as string, { signal }),
    enabled: version !== undefined,
  });
};

const METRICS = [
  ['average_precision', 'Average precision'],
  ['auc_roc', 'AUC ROC'],
  ['recall_at_0_1_percent_fp', 'Recall at 0.1 % false positives'],
  ['recall_at_1_percent_fp', 'Recall at 1 % false positives'],
] as const;

const Metrics = ({ champion, other }: { champion: Model; other: Model | undefined }) => {
  // A training measures both models on the same items. Other figures of the champion are of other items.
  const ofBoth = other?.metrics;
  const names = METRICS.filter(([name]) => (ofBoth ?? champion.metrics)[name] != null);
  const shown = (value: number | null | undefined): string => value?.toFixed(3) ?? '–';
  const ofChampion = (name: string): string =>
    shown(ofBoth === undefined ? champion.metrics[name] : ofBoth[`champion_${name}`]);
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{other === undefined ? 'On held-out items' : 'On the same items'}</th>
          <th scope="col" className="end">
            Champion
          </th>
          {other !== undefined && (
            <th scope="col" className="end">
              {formatName(other.status)}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {names.map(([name, words]) => (
          <tr key={name}>
            <td>{words}</td>
            <td className="num end">{ofChampion(name)}</td>
            {ofBoth !== undefined && <td className="num end">{shown(ofBoth[name])}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const linesOf = (champion: Model, other: Model | undefined) =>
  [
    { name: 'Champion', color: '--accent-fill', model: champion, isDashed: false },
    { name: other === undefined ? '' : formatName(other.status), color: '--raises', model: other, isDashed: true },
  ].flatMap(({ model, ...line }) =>
    model?.curves == null ? [] : [{ ...line, points: model.curves.precision_recall }],
  );

const AllModels = ({ models, picked }: { models: readonly ModelSummary[]; picked: string | undefined }) => (
  <Card title="All models" note="Newest first">
    <TableBox label="Table of models">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Status</th>
            <th scope="col" className="is-wide">
              Learned from
            </th>
            <th scope="col" className="end is-wide">
              Trained
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ model_version, status, trained, trained_at }) => (
            <tr key={model_version} aria-current={model_version === picked || undefined}>
              <td>
                {status === 'champion' ? (
                  <span className="mono">{model_version}</span>
                ) : (
                  <Link href={`/models?model=${model_version}`} className="mono">
                    {model_version}
                  </Link>
                )}
              </td>
              <td>
                <ModelBadge status={status} />
              </td>
              <td className="is-wide">
                {plural(trained.rows, 'item')}, {plural(trained.frauds, 'fraud')}
              </td>
              <td className="dim end is-wide">
                {trained_at === null ? 'shipped' : <Time at={trained_at} as={formatDayTime} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  </Card>
);

/** Is the model good, and is the next one better? */
export default function Models() {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('model');
  const [layer, setLayer] = useState<'train' | 'promote' | 'back' | undefined>();
  const [isBusy, setBusy] = useState(false);
  const list = useQuery({
    queryKey: [environment, 'models'],
    queryFn: ({ signal }) => client.models.list({ signal }),
  });
  const trainings = useTrainings();
  const models = list.data?.models ?? [];
  const current = models.find(({ status }) => status === 'champion');
  const others = models.filter(({ status }) => status !== 'champion');
  const picked = others.find(({ model_version }) => model_version === asked) ?? others[0];
  const champion = useModel(current?.model_version);
  const other = useModel(picked?.model_version).data;
  const why =
    useWhyNot('tune') ??
    (environment === 'sandbox'
      ? 'Models are trained and changed in production, and score both environments.'
      : undefined);
  const isTraining = trainings?.some(({ status }) => status === 'running') === true;
  useEffect(() => {
    document.title = 'Models · Portcullis';
  }, []);
  const close = (): void => setLayer(undefined);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await act();
      await queries.invalidateQueries({ queryKey: [environment, 'models'] });
      go('/models', { replace: true });
    } catch (error) {
      notify(problemOf(error));
    } finally {
      setBusy(false);
      close();
    }
  };
  if (list.data === undefined || champion.data === undefined)
    return list.isError || champion.isError ? (
      <Failed error={list.error ?? champion.error} retry={() => void list.refetch()} />
    ) : (
      <Skeleton rows={8} height={34} />
    );
  const lines = linesOf(champion.data, other);
  return (
    <div className="tune">
      <div className="page-head">
        <h1>Models</h1>
        <div className="page-more">
          <Button
            why={why ?? (champion.data.ships && others.length === 0 ? 'There is no earlier model.' : undefined)}
            icon="undo"
            onClick={() => setLayer('back')}
          >
            Roll back
          </Button>
          <Button
            look="primary"
            why={why ?? (isTraining ? 'A training is running.' : undefined)}
            onClick={() => setLayer('train')}
          >
            Train now
          </Button>
        </div>
      </div>
      <div className="stack">
        <div className="model-pair">
          <ModelCard model={champion.data} title="Champion" />
          {other === undefined ? (
            <Card title="Next model">
              <p className="dim">
                No other model yet. Once a day, after 50 new labels, the service trains one on your data and compares it
                with the champion on your newest items.
              </p>
            </Card>
          ) : (
            <ModelCard
              model={other}
              title="Compared with"
              more={
                <Button small why={why} onClick={() => setLayer('promote')}>
                  Promote…
                </Button>
              }
            />
          )}
        </div>
        {other !== undefined && other.gates.length > 0 && (
          <Card
            title="Gates"
            note={`${other.gates.filter(({ passed }) => passed).length} of ${other.gates.length} passed; a model that passes all is promoted`}
          >
            <Gates gates={other.gates} />
          </Card>
        )}
        <div className="model-pair">
          <Card title="Precision and recall" note="On items that the model was not trained on">
            {lines.length === 0 ? (
              <p className="dim">These models have no stored curve. The first training measures both.</p>
            ) : (
              <Curve lines={lines} />
            )}
          </Card>
          <Card title="Metrics">
            <Metrics champion={champion.data} other={other} />
          </Card>
        </div>
        <div className="model-pair">
          <AllModels models={models} picked={picked?.model_version} />
          {trainings === undefined ? <Skeleton rows={3} /> : <Trainings trainings={trainings} />}
        </div>
      </div>
      <Dialog opened={layer === 'train'} onClose={close} title="Train a model" size={460}>
        <TrainForm close={close} />
      </Dialog>
      <Dialog opened={layer === 'promote'} onClose={close} title="Promote the model" size={560}>
        {other !== undefined && (
          <Promote
            model={other}
            isBusy={isBusy}
            close={close}
            onYes={(force) => void run(() => client.models.promote(other.model_version, force ? { force } : {}))}
          />
        )}
      </Dialog>
      <Dialog opened={layer === 'back'} onClose={close} title="Roll back to the previous model" size={440}>
        <div className="stack">
          <p>The previous champion scores every screening from now on, in production and in the sandbox.</p>
          <div className="row-buttons">
            <Button
              look="primary"
              busy={isBusy}
              onClick={() => void run(() => client.models.rollBack())}
              data-autofocus
            >
              Roll back both environments
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </div>
      </Dialog>
    </div>
  );
}
