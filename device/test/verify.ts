import { createPublicKey, verify } from 'node:crypto';

/** What a token says; `null` is a token that says nothing we understand. */
export interface Said {
  readonly v: number;
  readonly id: string;
  readonly at: number;
  readonly key?: string;
  readonly kept: boolean;
  readonly automation: readonly string[];
  readonly zone?: string;
  readonly languages: readonly string[];
  readonly screen?: readonly number[];
  readonly hard: Readonly<Record<string, string | number>>;
  readonly soft: Readonly<Record<string, string | number>>;
  readonly missing: readonly string[];
}

/** Reads a token by the text of docs/device.md, with none of the code that makes or takes tokens. */
export const readToken = (token: string): { said: Said; isSigned: boolean; isGenuine: boolean } => {
  const [version, payload = '', signature = '', ...rest] = token.split('.');
  if (version !== 'pcd1' || rest.length > 0) throw new Error('not a token');
  const said = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Said;
  if (said.key === undefined) return { said, isSigned: signature !== '', isGenuine: false };
  const point = Buffer.from(said.key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url')) as [
    string,
    string,
  ];
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const isGenuine = verify(
    'sha256',
    Buffer.from(`pcd1.${payload}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return { said, isSigned: signature !== '', isGenuine };
};
