import type { Knowledge, Usual } from '@portcullis/client';
import { Card } from '../parts/Card.tsx';
import { formatCountry, plural } from '../parts/format.ts';
import { WhereMap } from './WhereMap.tsx';

interface Props {
  readonly knowledge: Knowledge | null | undefined;
  readonly usual: Usual | null;
}

const wordsOf = (country: string | null, usual: Usual | null): string => {
  const [most] = usual?.countries ?? [];
  if (country === null) return 'The country of the address is unknown';
  const here = formatCountry(country);
  if (most === undefined) return here;
  const times = usual?.countries.find(({ value }) => value === country)?.items;
  return times === undefined
    ? `${here}, never before; usually ${formatCountry(most.value)}`
    : `${here}, ${plural(times, 'time')} before`;
};

/** Where the item came from, beside the places where the user was before. */
export const WhereCard = ({ knowledge, usual }: Props) => {
  const country = knowledge?.country ?? null;
  const place = knowledge?.place ?? null;
  if (place === null && (usual?.countries ?? []).length === 0) return null;
  const words = wordsOf(country, usual);
  return (
    <Card title="Where" note={words}>
      <WhereMap
        countries={usual?.countries ?? []}
        here={place === null || country === null ? undefined : { ...place, label: formatCountry(country) }}
        label={`Map: ${words}`}
      />
    </Card>
  );
};
