import { useSso } from '../api/hosts.ts';
import { ssoFailure, startSso } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { Button } from '../parts/Button.tsx';
import { returnTo } from './return-to.ts';
import { ErrorNotice, useStep } from './SignInForm.tsx';

/** Leads to the identity provider, if there is one. The browser comes back to `SsoReturn`. */
export const SsoButton = () => {
  const sso = useSso();
  const failure = useStore(ssoFailure);
  const { isBusy, error, run } = useStep();
  const start = async (): Promise<void> => {
    ssoFailure.set(undefined);
    location.assign((await startSso(returnTo() ?? '/console')).url);
  };
  if (!sso) return null;
  return (
    <div className="sso">
      <ErrorNotice error={error ?? failure} />
      <Button busy={isBusy} onClick={() => void run(start)}>
        Continue with {sso.label}
      </Button>
      <p className="or">or with a password</p>
    </div>
  );
};
