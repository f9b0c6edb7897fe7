import type { AuditCheck } from '@portcullis/client';
import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Copy } from '../parts/Copy.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatClock, formatName, plural } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';

const Result = ({ check, at }: { check: AuditCheck; at: number }) => (
  <>
    <span className={`check-mark ${check.intact ? 'is-ok' : 'is-bad'}`}>
      <Icon name={check.intact ? 'check' : 'alert'} size={30} />
    </span>
    <div>
      <strong>
        {check.intact ? 'The log is intact' : `The log is not intact: ${formatName(check.finding ?? '')}`}
      </strong>
      <p className="dim">
        {plural(check.entries, 'entry', 'entries')} checked at {formatClock(new Date(at).toISOString())}.{' '}
        {check.message ?? 'No entry was changed, removed or inserted.'}
      </p>
      {check.anchor !== null && (
        <p className="dim check-anchor">
          Anchor <Copy value={check.anchor} label={`${check.anchor.slice(0, 24)}…`} />
        </p>
      )}
    </div>
  </>
);

/** Verifies the chain of hashes over the whole log. */
export const Check = () => {
  const client = useClient();
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'audit-check'],
    queryFn: ({ signal }) => client.audit.check({}, { signal }),
    enabled: false,
  });
  return (
    <section className="card chain" aria-label="Log integrity" aria-live="polite">
      {query.isError ? (
        <Failed error={query.error} />
      ) : query.data !== undefined ? (
        <Result check={query.data} at={query.dataUpdatedAt} />
      ) : (
        <>
          <span className="check-mark">
            <Icon name="audit" size={30} />
          </span>
          <div>
            <strong>Each entry contains a hash of itself and of the entry before it</strong>
            <p className="dim">The check finds entries that were changed, removed, inserted or reordered.</p>
          </div>
        </>
      )}
      <Button busy={query.isFetching} onClick={() => void query.refetch()}>
        {query.data === undefined ? 'Check the log' : 'Check again'}
      </Button>
    </section>
  );
};
