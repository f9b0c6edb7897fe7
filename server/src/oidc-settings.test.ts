import { describe, expect, test } from 'vitest';
import { readOidc } from './oidc-settings.ts';

const RIGHT = {
  OIDC_ISSUER: 'https://id.example.com/tenant/v2.0',
  OIDC_CLIENT_ID: 'portcullis',
  OIDC_CLIENT_SECRET: 'secret-value',
  CONSOLE_URL: 'https://fraud.example.com',
};
const read = (env: Record<string, string | undefined>) => {
  const errors: string[] = [];
  const value = readOidc((name) => env[name], errors);
  return { value, errors };
};

describe('the settings of the single sign-on', () => {
  test('name the provider, the client and the console', () => {
    expect(read(RIGHT)).toEqual({
      errors: [],
      value: {
        issuer: 'https://id.example.com/tenant/v2.0',
        clientId: 'portcullis',
        clientSecret: 'secret-value',
        label: 'single sign-on',
        trustsEmail: false,
        consoleOrigin: 'https://fraud.example.com',
      },
    });
    const more = { OIDC_NAME: 'Okta', OIDC_TRUST_EMAIL: 'on', CONSOLE_URL: 'https://fraud.example.com:8443/' };
    expect(read({ ...RIGHT, ...more }).value).toMatchObject({
      label: 'Okta',
      trustsEmail: true,
      consoleOrigin: 'https://fraud.example.com:8443',
    });
  });

  test('are all needed, and none is; the address of the console alone changes nothing', () => {
    expect(read({})).toEqual({ value: undefined, errors: [] });
    expect(read({ CONSOLE_URL: RIGHT.CONSOLE_URL })).toEqual({ value: undefined, errors: [] });
    for (const name of Object.keys(RIGHT))
      expect([name, read({ ...RIGHT, [name]: undefined }).errors]).toEqual([
        name,
        [expect.stringMatching(new RegExp(`^OIDC_\\w+ needs ${name}: single sign-on takes all of them$`))],
      ]);
  });

  test.each([
    ['OIDC_ISSUER', 'id.example.com', 'OIDC_ISSUER must be a URL'],
    ['OIDC_ISSUER', 'http://id.example.com', 'https:// unless it is this machine'],
    ['OIDC_ISSUER', 'https://id.example.com?tenant=1', 'OIDC_ISSUER must be a URL'],
    ['OIDC_ISSUER', 'https://login.microsoftonline.com/common/v2.0', 'OIDC_ISSUER must name your tenant'],
    ['OIDC_ISSUER', 'https://LOGIN.microsoftonline.com/organizations', 'OIDC_ISSUER must name your tenant'],
    ['CONSOLE_URL', 'http://fraud.example.com', 'CONSOLE_URL must be a URL'],
    ['CONSOLE_URL', 'https://fraud.example.com/console', 'without a path'],
    ['CONSOLE_URL', 'https://user@fraud.example.com', 'CONSOLE_URL must be a URL'],
    ['OIDC_NAME', 'x'.repeat(41), 'OIDC_NAME must have at most 40 characters'],
    ['OIDC_TRUST_EMAIL', 'yes', 'OIDC_TRUST_EMAIL must be on or off, not "yes"'],
  ])('%s=%s is refused, and the error has no secret', (name, value, message) => {
    const { errors } = read({ ...RIGHT, [name]: value });
    expect(errors).toEqual([expect.stringContaining(message)]);
    expect(errors.join()).not.toContain('secret-value');
  });

  test.each(['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000'])(
    '%s is taken: nobody is between two processes of this machine',
    (url) => {
      expect(read({ ...RIGHT, OIDC_ISSUER: url, CONSOLE_URL: url }).errors).toEqual([]);
    },
  );
});
