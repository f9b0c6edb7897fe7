import type { NewWebhook } from '@portcullis/client';
import { ShownOnceDialog } from '../admin/ShownOnceDialog.tsx';
import { formatDayTime } from '../parts/format.ts';
import { Time } from '../parts/Time.tsx';

/** The signing secret of a new endpoint, or after a rotation. */
export const NewSecret = ({ made, close }: { made: NewWebhook; close: () => void }) => (
  <ShownOnceDialog title="Signing secret" label="Signing secret" value={made.signing_secret} close={close}>
    <p className="dim">
      {made.previous_secret_until === null ? (
        'Your receiver verifies each message with it before anything else. '
      ) : (
        <>
          Until <Time at={made.previous_secret_until} as={formatDayTime} /> every message is signed with both secrets.
          Give your receiver the new one before that, and no delivery fails.{' '}
        </>
      )}
      <a href="/docs/guides/webhooks#verifying">How to verify</a>
    </p>
  </ShownOnceDialog>
);
