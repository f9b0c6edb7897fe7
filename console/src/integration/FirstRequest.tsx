import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyBox } from '../admin/ShownOnceDialog.tsx';
import { useParams } from '../admin/use-params.ts';
import { useSend } from '../admin/use-send.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { Button } from '../parts/Button.tsx';
import { Card } from '../parts/Card.tsx';
import { Icon } from '../parts/icons.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { curlOf, EXAMPLES, type ExampleName } from './examples.ts';

const DAY_MS = 86_400_000;

/** A key for a day, a request with it, and one click to send the same from here. */
export const FirstRequest = () => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const [secret, setSecret] = useState<string | undefined>();
  const [answer, setAnswer] = useState<object | undefined>();
  const making = useSend();
  const sending = useSend();
  const why = useWhyNot('administer');
  const wanted = params.get('example') ?? '';
  const name: ExampleName = wanted in EXAMPLES ? (wanted as ExampleName) : 'review';
  const example = EXAMPLES[name];
  // People have the permission `screen` with the role admin alone.
  const whyNotHere =
    why ??
    (environment === 'production'
      ? 'Only in the sandbox. In production it would count as a customer’s payment.'
      : undefined);
  const make = async (): Promise<void> => {
    const expires_at = new Date(Date.now() + DAY_MS).toISOString();
    const made = await client.apiKeys.create({ role: 'service', label: 'Integration test', expires_at });
    setSecret(made.secret);
    await queries.invalidateQueries({ queryKey: [environment, 'api-keys'] });
  };
  const send = async (): Promise<void> => {
    setAnswer(
      name === 'login'
        ? await client.events.screen(EXAMPLES.login.body)
        : await client.transactions.screen(EXAMPLES[name].body),
    );
    await queries.invalidateQueries({ queryKey: [environment, 'integration'] });
  };
  return (
    <Card title="Send a request" note={`To ${environment}`}>
      <ol className="steps">
        <li>
          <h3>Create a key</h3>
          {secret === undefined ? (
            <>
              <p className="dim">
                Creates a key with the role service that expires after a day, and fills it in below. Or set{' '}
                <span className="mono">PORTCULLIS_KEY</span> to a key that you have.
              </p>
              <Button why={why} busy={making.isBusy} onClick={() => void making.send(make)}>
                Create a key for one day
              </Button>
            </>
          ) : (
            <p className="saved" role="status">
              <Icon name="check" size={16} /> The key is in the request below. It is not shown again after you leave the
              page.
            </p>
          )}
          {making.error !== undefined && (
            <p className="notice" role="alert">
              {making.error.message}
            </p>
          )}
        </li>
        <li>
          <h3>Send it</h3>
          <fieldset className="segments" aria-label="Example">
            {(Object.keys(EXAMPLES) as ExampleName[]).map((one) => (
              <button key={one} type="button" aria-pressed={one === name} onClick={() => change({ example: one })}>
                {EXAMPLES[one].title}
              </button>
            ))}
          </fieldset>
          <CopyBox label="Request with curl" value={curlOf(location.origin, secret, example)} />
          <Button why={whyNotHere} busy={sending.isBusy} onClick={() => void sending.send(send)}>
            Send it from this page
          </Button>
          {sending.error !== undefined && (
            <p className="notice" role="alert">
              {sending.error.message}
            </p>
          )}
          {answer !== undefined && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus
            <pre className="code" tabIndex={0} role="group" aria-label="Response">
              {JSON.stringify(answer, null, 2)}
            </pre>
          )}
        </li>
        <li>
          <h3>See it arrive</h3>
          <p className="dim">It appears under Arriving now within seconds, with its decision.</p>
        </li>
      </ol>
    </Card>
  );
};
