import type { Model } from '@portcullis/client';
import type { ReactNode } from 'react';
import { Card } from '../parts/Card.tsx';
import { Copy } from '../parts/Copy.tsx';
import { formatCount, formatDay, plural } from '../parts/format.ts';
import { Time } from '../parts/Time.tsx';

const LOOKS = { champion: 'allow', challenger: 'accent', rejected: 'block', retired: 'expired' } as const;
export const ModelBadge = ({ status }: { status: Model['status'] }) => (
  <span className={`badge badge-${LOOKS[status]}`}>{status}</span>
);

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** What a model is and what it learned from. */
export const ModelCard = ({ model, title, more }: { model: Model; title: string; more?: ReactNode }) => (
  <Card title={title} note={<ModelBadge status={model.status} />} more={more}>
    <dl className="model-facts">
      <Line name="Version">
        <Copy value={model.model_version} />
      </Line>
      <Line name="Origin">
        {model.ships ? (
          'Ships with the service; trained on simulated histories'
        ) : (
          <>
            Trained on your labels
            {model.trained_at !== null && (
              <>
                {' '}
                on <Time at={model.trained_at} />
              </>
            )}
            {model.trained_by !== null && <span className="dim"> by {model.trained_by}</span>}
          </>
        )}
      </Line>
      <Line name="Learned from">
        {plural(model.trained.rows, 'item')}, {plural(model.trained.frauds, 'fraud')}
        {!model.ships && (
          <span className="dim">
            {' '}
            of {formatDay(model.trained.from)} to {formatDay(model.trained.until)}
          </span>
        )}
      </Line>
      {model.window !== null && (
        <Line name="Compared on">
          {plural(model.window.rows, 'later item')}, {plural(model.window.frauds, 'fraud')}
          <span className="dim">
            {' '}
            of {formatDay(model.window.from)} to {formatDay(model.window.until)}
          </span>
        </Line>
      )}
      <Line name="Features">{formatCount(model.features.length)}</Line>
      {model.promoted_at !== null && (
        <Line name="Champion since">
          <Time at={model.promoted_at} />
        </Line>
      )}
      {model.reason !== null && model.gates.length === 0 && <Line name="Reason">{model.reason}</Line>}
    </dl>
  </Card>
);
