import { useQuery } from '@tanstack/react-query';
import { useClient, useEnvironment, useMay } from '../api/environment.tsx';
import { formatShare, plural } from '../parts/format.ts';
import { ENOUGH } from './members.ts';
import { keyOf, useShares } from './use-shares.ts';

export interface Check {
  readonly title: string;
  /** Undefined while it is not known, or not visible to the role. */
  readonly isDone: boolean | undefined;
  readonly note: string;
  readonly href: string;
}

const MONTH_MS = 30 * 86_400_000;
const HOUR_MS = 3_600_000;

/** What a complete integration has, in the order in which it is built. */
export const useChecks = (): readonly Check[] => {
  const client = useClient();
  const environment = useEnvironment();
  const isAdmin = useMay('administer');
  const shares = useShares().data;
  const keys = useQuery({
    queryKey: [environment, 'api-keys'],
    queryFn: ({ signal }) => client.apiKeys.list({ signal }),
    enabled: isAdmin,
  }).data;
  const webhooks = useQuery({
    queryKey: [environment, 'webhooks'],
    queryFn: ({ signal }) => client.webhooks.list({ signal }),
  }).data;
  const labels = useQuery({
    queryKey: [environment, 'integration', 'labels'],
    queryFn: ({ signal }) => {
      const from = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - MONTH_MS).toISOString();
      return client.screenings.group({ by: 'label', from }, { signal });
    },
  }).data;
  const screening = keys?.api_keys.filter(({ permissions }) => permissions.includes('screen')).length;
  const labelled = labels?.groups.filter(({ value }) => value !== null).reduce((sum, { items }) => sum + items, 0);
  const enabled = webhooks?.webhooks.filter(({ status }) => status === 'enabled');
  const failing = enabled?.filter(({ failing_since }) => failing_since !== null).length ?? 0;
  const share = (name: string): number | undefined => shares?.shares[keyOf('transaction', name)];
  const member = (name: string, title: string, href: string): Check => {
    const value = share(name);
    return {
      title,
      isDone: value === undefined ? (shares?.items.transaction === 0 ? false : undefined) : value >= ENOUGH,
      note: value === undefined ? 'No payments yet' : `On ${formatShare(value)} of payments`,
      href,
    };
  };
  return [
    {
      title: 'An API key that may screen',
      isDone: screening === undefined ? undefined : screening > 0,
      note: screening === undefined ? 'Only administrators see this' : plural(screening, 'key'),
      href: '/docs/guides/api-guide#roles',
    },
    {
      title: 'Payments arrive',
      isDone: shares && shares.items.transaction > 0,
      note: shares === undefined ? '…' : `${plural(shares.items.transaction, 'payment')} in 24 hours`,
      href: '/docs#op-screenTransaction',
    },
    {
      title: 'Logins and other events arrive',
      isDone: shares && shares.items.event > 0,
      note: shares === undefined ? '…' : `${plural(shares.items.event, 'event')} in 24 hours`,
      href: '/docs#op-screenEvent',
    },
    member('ip_address', 'The IP address of the customer', '/docs/guides/api-guide'),
    member('device_token', 'The token of the device SDK', '/docs/guides/device'),
    member('email', 'The e-mail address', '/docs/guides/api-guide'),
    member('payment_fingerprint', 'A token of the card', '/docs/guides/api-guide'),
    {
      title: 'A webhook endpoint that accepts messages',
      isDone: enabled && enabled.length > 0 && failing === 0,
      note:
        enabled === undefined
          ? '…'
          : failing > 0
            ? `${plural(failing, 'endpoint')} failing`
            : plural(enabled.length, 'enabled endpoint'),
      href: '/docs/guides/webhooks',
    },
    {
      title: 'Labels: chargebacks and resolved cases',
      isDone: labelled === undefined ? undefined : labelled > 0,
      note: labelled === undefined ? '…' : `${plural(labelled, 'labelled item')} in 30 days`,
      href: '/docs/guides/labels',
    },
  ];
};
