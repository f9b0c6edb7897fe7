import { type Address, type EventRequest, normalizeIp, type TransactionRequest } from '@portcullis/contract';
import { mask } from '../mask.ts';

const maskMetadata = (metadata: Record<string, string>, warnings: string[]): Record<string, string> => {
  // Object.fromEntries keeps a key named __proto__, which plain assignment would lose.
  let changed = false;
  const entries = Object.entries(metadata).map(([key, value]) => {
    const masked = mask(value, `metadata.${key}`, warnings);
    changed ||= masked !== value;
    return [key, masked] as const;
  });
  return changed ? Object.fromEntries(entries) : metadata;
};

const upperCountry = (address: Address): Address =>
  address.country === undefined ? address : { ...address, country: address.country.toUpperCase() };

/** One spelling for what means the same, so that it is counted as the same. Changes the request it is given. */
export const normalizeTransaction = (request: TransactionRequest, warnings: string[]): TransactionRequest => {
  request.currency = request.currency.toUpperCase();
  if (request.device_token === '') delete request.device_token;
  if (request.ip_address !== undefined) request.ip_address = normalizeIp(request.ip_address);
  if (request.payment_fingerprint !== undefined) {
    request.payment_fingerprint = mask(request.payment_fingerprint, 'payment_fingerprint', warnings);
  }
  if (request.billing_address !== undefined) request.billing_address = upperCountry(request.billing_address);
  if (request.shipping_address !== undefined) request.shipping_address = upperCountry(request.shipping_address);
  if (request.metadata !== undefined)
    request.metadata = maskMetadata(request.metadata as Record<string, string>, warnings);
  return request;
};

export const normalizeEvent = (request: EventRequest, warnings: string[]): EventRequest => {
  request.outcome ??= 'succeeded';
  if (request.device_token === '') delete request.device_token;
  if (request.ip_address !== undefined) request.ip_address = normalizeIp(request.ip_address);
  if (request.metadata !== undefined)
    request.metadata = maskMetadata(request.metadata as Record<string, string>, warnings);
  return request;
};
