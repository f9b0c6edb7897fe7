import { createClient, PortcullisError } from '@portcullis/client';

const portcullis = createClient({
  url: process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.PORTCULLIS_KEY ?? '',
  // Somebody waits in front of a form.
  deadlineMs: 3000,
});

export interface Attempt {
  readonly user: string;
  readonly isPasswordRight: boolean;
  readonly ipAddress: string | undefined;
  readonly deviceToken: string | undefined;
}

/** What to do with a login: let it in, ask for a second proof, or turn it away. */
export type Verdict = 'allow' | 'review' | 'block';

/**
 * Asks Portcullis about an attempt. Failed ones are told as well: many of them, from one address or for one user, are what gives an attack away.
 */
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
    // No answer is no reason to lock everybody out, and none to let anybody in with a password alone.
    return 'review';
  }
};
