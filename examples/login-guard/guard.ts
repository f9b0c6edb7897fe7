import { createClient, PortcullisError } from '@portcullis/client';

const portcullis = createClient({
  url: process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.PORTCULLIS_KEY ?? '',
  // A user is waiting at the login form.
  deadlineMs: 3000,
});

export interface Attempt {
  readonly user: string;
  readonly isPasswordRight: boolean;
  readonly ipAddress: string | undefined;
  readonly deviceToken: string | undefined;
}

/** `allow`: log in. `review`: require a second factor. `block`: reject. */
export type Verdict = 'allow' | 'review' | 'block';

/** Screens a login attempt. Failed attempts are screened too: many from one address or for one user reveal an attack. */
export const judge = async ({ user, isPasswordRight, ipAddress, deviceToken }: Attempt): Promise<Verdict> => {
  try {
    const { decision } = await portcullis.events.screen({
      user_id: user,
      type: 'login',
      outcome: isPasswordRight ? 'succeeded' : 'failed',
      ip_address: ipAddress,
      device_token: deviceToken,
    });
    return decision;
  } catch (error) {
    if (!(error instanceof PortcullisError)) throw error;
    console.error(`not screened: ${error.code} ${error.requestId ?? ''}`);
    // Without a decision, neither lock out all users nor accept a password alone.
    return 'review';
  }
};
