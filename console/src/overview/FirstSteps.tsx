import { Link } from 'wouter';
import { useEnvironment } from '../api/environment.tsx';
import { Copy } from '../parts/Copy.tsx';

const commandOf = (url: string): string =>
  `curl -s "${url}/v1/transactions/screen" -H "Authorization: Bearer $PORTCULLIS_KEY" -H 'Content-Type: application/json' -d '{"user_id": "user_1842", "amount": 49.90, "currency": "EUR", "ip_address": "203.0.113.2"}'`;

/** Instead of empty charts: the first payment. */
export const FirstSteps = () => {
  const environment = useEnvironment();
  return (
    <section className="first" aria-label="First steps">
      <div className="card first-card">
        <span className="first-number">1</span>
        <h2>Screen a payment</h2>
        <p className="dim">
          Set <span className="mono">PORTCULLIS_KEY</span> to a key of {environment}, and send this. The address is a
          test address that always gets a review.
        </p>
        <div className="first-code">
          <Copy value={commandOf(location.origin)} />
        </div>
      </div>
      <div className="card first-card">
        <span className="first-number">2</span>
        <h2>Decide your first case</h2>
        <p className="dim">
          It appears under Cases at once. Press <kbd>g</kbd> <kbd>c</kbd>, then <kbd>Enter</kbd>, then <kbd>a</kbd> to
          approve it.
        </p>
      </div>
      <div className="card first-card">
        <span className="first-number">3</span>
        <h2>Connect your shop</h2>
        <p className="dim">
          The <a href="/docs">API reference</a> has every operation with an example.{' '}
          <Link href="/integration">Integration</Link> makes a key for you and checks what you send.
        </p>
      </div>
    </section>
  );
};
