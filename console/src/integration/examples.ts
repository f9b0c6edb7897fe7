/** Requests to begin with. The addresses are test addresses with a fixed decision. */
export const EXAMPLES = {
  review: {
    title: 'A payment that is held',
    path: '/v1/transactions/screen',
    body: {
      user_id: 'user_1842',
      amount: 49.9,
      currency: 'EUR',
      ip_address: '203.0.113.2',
      email: 'ada@example.com',
      payment_fingerprint: 'pm_6d41aa',
      counterparty_id: 'shop_77',
    },
  },
  block: {
    title: 'A payment that is blocked',
    path: '/v1/transactions/screen',
    body: { user_id: 'user_1843', amount: 950, currency: 'EUR', ip_address: '203.0.113.3', email: 'eve@example.com' },
  },
  login: {
    title: 'A login',
    path: '/v1/events',
    body: { user_id: 'user_1842', type: 'login', ip_address: '198.51.100.24', email: 'ada@example.com' },
  },
} as const;
export type ExampleName = keyof typeof EXAMPLES;

export const curlOf = (
  url: string,
  secret: string | undefined,
  { path, body }: (typeof EXAMPLES)[ExampleName],
): string =>
  `curl -s "${url}${path}" \\
  -H "Authorization: Bearer ${secret ?? '$PORTCULLIS_KEY'}" \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body, null, 2)}'`;
