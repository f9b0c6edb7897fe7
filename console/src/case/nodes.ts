import type { LinkNode } from '@portcullis/client';
import type { IconName } from '../parts/icons.tsx';

export const NODE_ICONS: Readonly<Record<LinkNode['kind'], IconName>> = {
  user: 'user',
  device: 'device',
  ip_address: 'ip_address',
  email: 'email',
  payment_fingerprint: 'card',
  counterparty: 'counterparty',
};
export const NODE_WORDS: Readonly<Record<LinkNode['kind'], string>> = {
  user: 'User',
  device: 'Device',
  ip_address: 'Address',
  email: 'E-mail',
  payment_fingerprint: 'Card',
  counterparty: 'Counterparty',
};
