import { type ListCheck, type ListCheckRequest, type ListKind, normalizeIp } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Answer, Call } from '../http/route.ts';
import { domainOf } from '../knowledge/email-domains.ts';
import { mask } from '../mask.ts';
import { toEntry } from './entries.ts';
import type { Matcher } from './match.ts';
import { entriesWith, type ListRow } from './store.ts';
import { networkOfValue, networkText, readValue } from './value.ts';

type Candidate = readonly [ListKind, string];

/** The domain, and every domain that it is below. */
const domainsOf = (email: string): string[] => {
  const labels = domainOf(email).split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};

/** Tells a person which entries something meets, and why they are there. Screening asks memory, which knows neither. */
export const makeCheck = (deps: { backend: Backend; matcher: Matcher<ListRow>; clock: () => number }) => {
  const { backend, matcher, clock } = deps;

  const networksOf = (tenant: number, ip: string): Candidate[] => {
    const network = networkOfValue(normalizeIp(ip));
    return [...matcher.lengths(tenant, network.family), network.prefix].map(
      (prefix): Candidate => ['ip_address', networkText({ ...network, prefix })],
    );
  };

  const candidatesOf = (tenant: number, asked: ListCheckRequest, warnings: string[]): Candidate[] => {
    const { payment_fingerprint: token, ip_address: ip, email } = asked;
    const plain: (readonly [ListKind, string | undefined])[] = [
      ['user', asked.user_id],
      ['device', asked.device_token],
      ['email', email],
      ['payment_fingerprint', token === undefined ? undefined : mask(token, 'payment_fingerprint', warnings)],
      ['counterparty', asked.counterparty_id],
      ['country', asked.country],
    ];
    return [
      ...plain.flatMap(([kind, text]): Candidate[] => {
        const read = text === undefined ? undefined : readValue(kind, text);
        return read === undefined || 'refusal' in read ? [] : [[kind, read.value]];
      }),
      ...(ip === undefined ? [] : networksOf(tenant, ip)),
      ...(email === undefined ? [] : domainsOf(email).map((domain): Candidate => ['email_domain', domain])),
    ];
  };

  return async (call: Call): Promise<Answer> => {
    const { tenant } = call.caller;
    const now = clock();
    const candidates = candidatesOf(tenant, call.body as ListCheckRequest, call.warnings);
    const found = await Promise.all(candidates.map(([kind, value]) => entriesWith(backend, tenant, kind, value, now)));
    const check: ListCheck = {
      matches: matcher.lists(tenant).flatMap((list) =>
        found
          .flat()
          .filter((entry) => entry.list === list.id)
          .map((entry) => ({ list_id: list.name, treatment: list.treatment, ...toEntry(entry) })),
      ),
    };
    return call.answer(check);
  };
};
