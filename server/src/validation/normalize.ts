import type { Address, EventRequest, TransactionRequest } from '@portcullis/contract';
import { normalizeIp } from '@portcullis/contract/values';

const upperCountry = (address: Address): Address =>
  address.country === undefined ? address : { ...address, country: address.country.toUpperCase() };

/** Gives values that mean the same one spelling, so that they are counted together. Changes the request in place. */
export const normalizeTransaction = (request: TransactionRequest): TransactionRequest => {
  request.currency = request.currency.toUpperCase();
  if (request.device_token === '') delete request.device_token;
  if (request.ip_address !== undefined) request.ip_address = normalizeIp(request.ip_address);
  if (request.billing_address !== undefined) request.billing_address = upperCountry(request.billing_address);
  if (request.shipping_address !== undefined) request.shipping_address = upperCountry(request.shipping_address);
  return request;
};

export const normalizeEvent = (request: EventRequest): EventRequest => {
  request.outcome ??= 'succeeded';
  if (request.device_token === '') delete request.device_token;
  if (request.ip_address !== undefined) request.ip_address = normalizeIp(request.ip_address);
  return request;
};
