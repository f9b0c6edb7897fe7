import type { Rule, RuleCheck, RuleVersions } from '@portcullis/client';
import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { type Content, isSame } from './rule.ts';

const LIVE_MS = 15_000;

export const useRule = (id: string | undefined): UseQueryResult<Rule> => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'rule', id],
    queryFn: ({ signal }) => client.rules.get(id as string, { signal }),
    enabled: id !== undefined,
    // The number of hits grows.
    refetchInterval: LIVE_MS,
  });
};

export const useVersions = (id: string | undefined): UseQueryResult<RuleVersions> => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'rule', id, 'versions'],
    queryFn: ({ signal }) => client.rules.listVersions(id as string, { signal }),
    enabled: id !== undefined,
  });
};

/** Puts a changed rule in place of the one before, everywhere. */
export const useStored = () => {
  const environment = useEnvironment();
  const queries = useQueryClient();
  return async (rule: Rule): Promise<void> => {
    queries.setQueryData([environment, 'rule', rule.rule_id], rule);
    for (const key of [['rule', rule.rule_id, 'versions'], ['rules'], ['policy']])
      await queries.invalidateQueries({ queryKey: [environment, ...key] });
  };
};

const keyOf = (environment: string, id: string): string => `portcullis-rule-${environment}-${id}`;
const readKept = (key: string): Content | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};
const keep = (key: string, content: Content | undefined): void => {
  try {
    if (content === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(content));
  } catch {
    // Without storage, a draft lasts as long as the page.
  }
};

/** What a person has written and not saved. This tab keeps it, so that leaving the page loses nothing. */
export const useUnsaved = (id: string, stored: Content) => {
  const key = keyOf(useEnvironment(), id);
  const [unsaved, setUnsaved] = useState(() => readKept(key));
  const set = (content: Content | undefined): void => {
    const next = content !== undefined && isSame(content, stored) ? undefined : content;
    setUnsaved(next);
    keep(key, next);
  };
  return {
    content: unsaved ?? stored,
    isUnsaved: unsaved !== undefined,
    change: (fields: Partial<Content>) => set({ ...(unsaved ?? stored), ...fields }),
    discard: () => set(undefined),
  };
};

const CHECK_MS = 300;
/** A value that has not changed for a moment. */
const useSettled = <Value>(value: Value): Value => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), CHECK_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
};

/** Checks an expression a moment after the last key, on a stored item if one is given. */
export const useCheck = (
  expression: string,
  on?: string,
): { data: RuleCheck | undefined; isNow: boolean; error: unknown } => {
  const client = useClient();
  const environment = useEnvironment();
  const settled = useSettled(expression);
  const { data, isPlaceholderData, error } = useQuery({
    queryKey: [environment, 'rule-check', settled, on],
    queryFn: ({ signal }) => client.rules.check({ expression: settled, ...(on !== undefined && { on }) }, { signal }),
    enabled: settled.trim() !== '' && on !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  return { data, isNow: settled === expression && !isPlaceholderData, error };
};
