import { createPublicKey, verify } from 'node:crypto';

/** The JSON content of a token. */
export interface TokenContent {
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

/** Reads a token as docs/device.md describes it, without the code that creates or verifies tokens. */
export const readToken = (token: string): { content: TokenContent; isSigned: boolean; isGenuine: boolean } => {
  const [version, payload = '', signature = '', ...rest] = token.split('.');
  if (version !== 'pcd1' || rest.length > 0) throw new Error('not a token');
  const content = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as TokenContent;
  if (content.key === undefined) return { content, isSigned: signature !== '', isGenuine: false };
  const point = Buffer.from(content.key, 'base64url');
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
  return { content, isSigned: signature !== '', isGenuine };
};
