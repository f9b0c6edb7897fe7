import {
  ENVIRONMENTS,
  ERROR_STATUSES,
  type ErrorBody,
  type ErrorCode,
  KEY_PREFIXES,
  type Permission,
  ROLE_PERMISSIONS,
} from '@portcullis/contract';
import { commandPanel, jsonPanel } from './docs-code.ts';
import type { Document } from './docs-document.ts';
import { anchor, between, html, inline, type Part, table } from './docs-html.ts';
import { parameterTable } from './docs-members.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: Part;
}

const p = (text: string): Part => html`<p>${inline(text)}</p>`;
const code = (text: string): Part => html`<code>${text}</code>`;

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body or query is not valid. `details` lists all faults at once.',
  invalid_json: 'The body is not JSON.',
  unsupported_api_version: '`X-Api-Version` names no known release. The message names those there are.',
  missing_api_key: 'There is no `Authorization: Bearer` header, or it is malformed.',
  invalid_api_key: 'The key is unknown or was revoked.',
  insufficient_scope: "The key's role does not reach this operation.",
  wrong_environment:
    'The key belongs to the environment of another domain, or changes models and is not of production.',
  not_found: 'An unknown path or id, one of another account or environment, or a result past its 90 days.',
  method_not_allowed: 'The path does not take this method. `Allow` names those it takes.',
  case_not_open: 'The case was resolved before. The message names its state.',
  case_expired: 'The case was not resolved in time and can no longer be.',
  webhook_disabled: 'The endpoint is disabled: nothing is sent to it until it is enabled.',
  list_exists: 'There is a list of this name.',
  list_built_in: 'The list is built in and cannot be changed or deleted.',
  list_in_use: 'A live or shadow rule names the list. Change the rule first.',
  limit_reached: 'There are as many as there can be. The message names the limit.',
  rule_exists: 'Another rule that is not retired has this name.',
  rule_state: 'The state of the rule does not let it be changed so. The message names what it may become.',
  backtest_in_progress: 'A backtest of this account and environment is under way.',
  training_in_progress: 'A training of the account is under way already.',
  model_rejected: 'The model failed a gate when it was trained. `force` promotes it all the same.',
  no_earlier_model: 'The model that ships is in force, and there is none before it.',
  idempotency_in_progress: 'The first request with this `Idempotency-Key` is still being answered.',
  payload_too_large: 'The body is over 64 KiB, or over 512 KiB where entries are added to a list.',
  unsupported_media_type: 'The body of a POST or PUT is not `application/json`.',
  idempotency_key_reused: 'The `Idempotency-Key` was used with another body.',
  rate_limited: 'The key made too many requests. Wait for `Retry-After` seconds.',
  internal_error: 'A fault of ours. Quote the `request_id` when you report it.',
  unavailable: 'The store is unreachable or overloaded. Try again after `Retry-After` seconds.',
};

const PERMISSIONS: Readonly<Record<Permission, string>> = {
  screen: 'screen transactions and events',
  read: 'read results, profiles, cases, endpoints, lists and rules',
  review: 'override decisions and resolve cases',
  administer: 'manage webhooks, keys, lists, rules and the policy, see metrics and the audit',
};

const quickStart: Section = {
  id: 'quick-start',
  title: 'Quick start',
  text: [
    p('The service prints an admin key for each environment the first time it starts. Take the one of the sandbox:'),
    commandPanel('Shell', 'Variables the examples use', [
      html`<span class="f">export</span> PORTCULLIS_URL=<span class="s">http://127.0.0.1:8080</span>\n`,
      html`<span class="f">export</span> PORTCULLIS_KEY=<span class="s">sk_test_…</span>`,
    ]),
    p(
      'With these two set, every command on this page can be pasted as it stands; put in ids of your own to read back.',
    ),
    p(
      'To see each outcome, send `ip_address` as `203.0.113.2`, which always gets `review`, or as `203.0.113.3`, which always gets `block`. Nothing a client sends forces an `allow`.',
    ),
  ],
};

const authentication: Section = {
  id: 'authentication',
  title: 'Authentication',
  text: [
    p('Every request carries an API key: `Authorization: Bearer <API key>`. There are no sessions and no cookies.'),
    p(
      'A key belongs to one account and one environment. Its role gives it permissions, and each operation names its own:',
    ),
    table(
      'Permissions',
      ['Permission', 'To', 'Roles'],
      Object.entries(PERMISSIONS).map(([permission, to]) => {
        const roles = Object.entries(ROLE_PERMISSIONS).filter(([, may]) => may.includes(permission as Permission));
        const names = roles.map(([role]) => code(role));
        return [code(permission), to, between(names, ', ')];
      }),
    ),
    p(
      "A key's secret is shown once, when it is made, and only a hash of it is kept. A lost key is revoked and replaced.",
    ),
  ],
};

const environments: Section = {
  id: 'environments',
  title: 'Environments',
  text: [
    p('Two environments run the same rules. Nothing stored in one is ever seen in the other.'),
    table(
      'Environments',
      ['Environment', 'Keys begin with'],
      ENVIRONMENTS.map((environment) => [environment, code(KEY_PREFIXES[environment])]),
    ),
    p(
      'Where each environment has a domain of its own, a key works on its own domain alone; on the other it gets 403 `wrong_environment`.',
    ),
  ],
};

const conventions: Section = {
  id: 'conventions',
  title: 'Conventions',
  text: html`<ul>
<li>${inline('Bodies are JSON in UTF-8, up to 64 KiB (512 KiB to add entries to a list), sent as `Content-Type: application/json`.')}</li>
<li>${inline('Unknown members of a request are ignored, and named in `warnings` of the response.')}</li>
<li>Members of a response are always there unless marked optional. Ignore those you do not know.</li>
<li>${inline('`null` for an optional member of a request means that it is absent.')}</li>
<li>${inline('Times are RFC 3339 in UTC. Requests may use any offset, or a plain date, which is midnight UTC.')}</li>
<li>${inline('Identifiers begin with what they are of, such as `txn_`. Take the rest as opaque.')}</li>
<li>${inline('What looks like a card number in `metadata`, `notes` or `payment_fingerprint` is masked before it is stored, and `warnings` says so.')}</li>
</ul>`,
};

const headers = ({ components = {} }: Document): Section => ({
  id: 'headers',
  title: 'Headers',
  text: [
    html`<h3>Of requests</h3>`,
    parameterTable(
      'Request headers',
      Object.entries(components.parameters ?? {}).map(([key, of]) => [anchor('header', key), of]),
    ),
    html`<h3>Of responses</h3>`,
    table(
      'Response headers',
      ['Name', 'Description'],
      Object.entries(components.headers ?? {}).map(([name, { description = '' }]) => [
        html`<code class="name">${name}</code>`,
        inline(description),
      ]),
    ),
  ],
});

const idempotency: Section = {
  id: 'idempotency',
  title: 'Idempotency',
  text: [
    p(
      'A POST that got no answer can be sent again without fear: give it an `Idempotency-Key` of 1 to 255 characters, such as a UUID or your order number. For 24 hours the same key with the same body on the same path returns the first response byte for byte, with `Idempotent-Replayed: true`, and nothing happens twice: no payment is counted again, no second case is opened, no webhook is sent.',
    ),
    p(
      'The same key with another body is 422 `idempotency_key_reused`. A key whose first request is still being answered is 409 `idempotency_in_progress`.',
    ),
  ],
};

const EXAMPLE: ErrorBody = {
  error: {
    code: 'invalid_request',
    message: 'The request has 2 faults: amount must be greater than 0, …',
    request_id: 'req_01kcy5v3n7f2q8r4t6w9x0y1z2',
    details: [
      { field: 'amount', message: 'must be greater than 0' },
      { field: 'billing_address.country', message: 'must be an ISO 3166-1 alpha-2 country code such as DE' },
    ],
  },
};

const errors: Section = {
  id: 'errors',
  title: 'Errors',
  text: [
    p('Every error has the same shape. Decide by `code`; `message` is for people and says what would be right.'),
    jsonPanel('Error', 'Example of an error', EXAMPLE),
    table(
      'Errors',
      ['Status', 'Code', 'When'],
      Object.entries(ERROR_STATUSES).map(([name, status]) => [
        html`<span class="status bad">${status}</span>`,
        html`<code id="${anchor('error', name)}">${name}</code>`,
        inline(MEANINGS[name as ErrorCode]),
      ]),
    ),
    p('429, 500 and 503 are worth another try, a POST with the same `Idempotency-Key`. Other errors stay as they are.'),
  ],
};

const versions = ({ components }: Document): Section => ({
  id: 'versions',
  title: 'Versions',
  text: [
    p(
      'Paths begin with `/v1`. A change that could break a client comes under a new prefix; members may be added to responses at any time.',
    ),
    p('Pin a release with `X-Api-Version` on every request. Without it, the newest answers. Releases there are:'),
    html`<ul>${(components?.parameters?.ApiVersion?.schema?.enum ?? []).map((release) => html`<li>${code(String(release))}</li>`)}</ul>`,
  ],
});

const health: Section = {
  id: 'health',
  title: 'Health and metrics',
  text: [
    p(
      '`GET /healthz` is 200 while the process lives. `GET /readyz` is 200 once it can screen, and 503 before and while it drains. Neither takes a key.',
    ),
    p('`GET /metrics` answers in the Prometheus text format and takes an admin key.'),
  ],
};

/** What one needs to know before the first call and is not in any one operation. */
export const guide = (document: Document): readonly Section[] => [
  quickStart,
  authentication,
  environments,
  conventions,
  headers(document),
  idempotency,
  errors,
  versions(document),
  health,
];
