import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { formatCountry, formatName, plural } from '../parts/format.ts';
import { makeFind, type Suggestion, suggest } from '../parts/terms.ts';
import { type Parameter, PERSONAL, TERMS } from './terms.ts';

const find = makeFind(TERMS);
const MINUTES = 10 * 60_000;
interface Value {
  readonly value: string;
  readonly detail?: string;
}

/** Completes words and values. Values are asked for when their word is typed. */
export const useSuggestions = () => {
  const client = useClient();
  const environment = useEnvironment();
  const mayReadPersonal = useMay('read_personal');
  const [typed, setTyped] = useState('');
  const parameter = find(typed)?.term.parameter;
  const useValues = (of: Parameter, read: (signal: AbortSignal) => Promise<readonly Value[]>) =>
    useQuery({
      queryKey: [environment, 'filter-values', of],
      queryFn: ({ signal }) => read(signal),
      enabled: parameter === of,
      staleTime: MINUTES,
      retry: false,
    }).data;
  const known: Partial<Record<Parameter, readonly Value[] | undefined>> = {
    signal: useValues('signal', async (signal) =>
      (await client.stats.getSignals({}, { signal })).signals.map((one) => ({
        value: one.signal,
        detail: plural(one.items, 'item'),
      })),
    ),
    country: useValues('country', async (signal) =>
      (await client.stats.getCountries({}, { signal })).countries.flatMap(({ country, items }) =>
        country === null ? [] : [{ value: country, detail: `${formatCountry(country)}, ${plural(items, 'item')}` }],
      ),
    ),
    rule: useValues('rule', async (signal) =>
      (await client.rules.list({}, { signal })).rules.map(({ rule_id, name }) => ({ value: rule_id, detail: name })),
    ),
    model_version: useValues('model_version', async (signal) =>
      (await client.models.list({ signal })).models.map(({ model_version, status }) => ({
        value: model_version,
        detail: formatName(status),
      })),
    ),
  };
  const offered = mayReadPersonal ? TERMS : TERMS.filter((term) => !PERSONAL.includes(term.parameter));
  return {
    onText: setTyped,
    suggest: (text: string): readonly Suggestion[] => suggest(offered, text, (term) => known[term.parameter] ?? []),
  };
};
