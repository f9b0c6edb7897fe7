import type { NewWebhook } from '@portcullis/client';
import { Once } from '../admin/Once.tsx';

/** The signing secret of a new endpoint, or after a rotation. */
export const NewSecret = ({ made, isRotated, close }: { made: NewWebhook; isRotated: boolean; close: () => void }) => (
  <Once title="Signing secret" label="Signing secret" value={made.signing_secret} close={close}>
    <p className="dim">
      {isRotated
        ? 'For 24 hours every message is signed with both secrets. Give your receiver the new one within that time, and no delivery fails. '
        : 'Your receiver verifies each message with it before anything else. '}
      <a href="/docs/guides/webhooks#verifying">How to verify</a>
    </p>
  </Once>
);
