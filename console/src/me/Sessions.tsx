import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { endSession, listSessions, type Session } from '../api/session.ts';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { formatDayTime } from '../parts/format.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { notify } from '../shell/notices.ts';

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const;

/** A browser in words, such as `Firefox on macOS`. */
const browserOf = (agent: string | null): string => {
  const find = (names: readonly (readonly [RegExp, string])[]): string | undefined =>
    names.find(([pattern]) => pattern.test(agent ?? ''))?.[1];
  const system = find(SYSTEMS);
  return `${find(BROWSERS) ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`;
};

const Row = ({ one }: { one: Session }) => {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const end = async (): Promise<void> => {
    setBusy(true);
    await endSession(one.session_id).catch((error: Error) => notify(error.message));
    await queries.invalidateQueries({ queryKey: ['sessions'] });
    setBusy(false);
  };
  return (
    <li className="session">
      <div>
        <span className="row-name" title={one.user_agent ?? undefined}>
          {browserOf(one.user_agent)}
        </span>
        <span className="row-note">
          <span className="mono">{one.address}</span> · signed in <Time at={one.created_at} as={formatDayTime} /> · used{' '}
          <Time at={one.used_at} as={formatDayTime} />
        </span>
      </div>
      {one.is_current ? (
        <span className="badge badge-accent">This session</span>
      ) : (
        <Button small busy={isBusy} onClick={() => void end()}>
          Revoke
        </Button>
      )}
    </li>
  );
};

/** Where the person is signed in. */
export const Sessions = () => {
  const list = useQuery({ queryKey: ['sessions'], queryFn: listSessions });
  return (
    <Card title="Sessions" note="Where you are signed in">
      {list.data === undefined ? (
        list.isError ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : (
          <Skeleton rows={3} />
        )
      ) : (
        <ul>
          {list.data.map((one) => (
            <Row key={one.session_id} one={one} />
          ))}
        </ul>
      )}
    </Card>
  );
};
