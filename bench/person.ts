import { callApi } from './api.ts';
import type { Target } from './load.ts';

const PASSWORD = 'a bench in the sun';

/** Adds a person to the sandbox and signs them in. Returns the cookie of the session. */
export const signInPerson = async (target: Target, name: string, role: 'analyst' | 'admin'): Promise<string> => {
  const { link } = await callApi<{ link: { token: string } }>(target, 'POST', '/people', {
    email: `${name}@example.com`,
    name,
    role,
  });
  const response = await fetch(`http://127.0.0.1:${target.port}/v1/sign-in/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: link.token, password: PASSWORD }),
  });
  const [cookie] = (response.headers.get('set-cookie') ?? '').split(';', 1);
  if (!response.ok || cookie === undefined) throw new Error(`The sign-in returned ${response.status}.`);
  return cookie;
};
