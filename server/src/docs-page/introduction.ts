import type { ErrorBody } from '@portcullis/contract';
import {
  ENVIRONMENTS,
  ERROR_MEANINGS,
  ERROR_STATUSES,
  type ErrorCode,
  errorDocUrl,
  KEY_PREFIXES,
  PERMISSION_MEANINGS,
  type Permission,
  ROLE_PERMISSIONS,
} from '@portcullis/contract/values';
import { anchor, between, html, inline, type Part, table } from '../html/html.ts';
import { commandPanel, jsonPanel } from './code.ts';
import type { Document } from './document.ts';
import { parameterTable } from './fields.ts';
import { origin } from './layout.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: Part;
}

const p = (text: string): Part => html`<p>${inline(text)}</p>`;
const code = (text: string): Part => html`<code>${text}</code>`;

const quickStart: Section = {
  id: 'quick-start',
  title: 'Quick start',
  text: [
    html`<p>This page is served from <code>${origin()}</code>. The examples call that address.</p>`,
    p('At its first start the service prints an admin key for each environment. Set the sandbox key in your shell:'),
    commandPanel('Shell', 'Variables of the examples', [
      html`<span class="f">export</span> PORTCULLIS_URL=<span class="s">${origin()}</span>\n`,
      html`<span class="f">export</span> PORTCULLIS_KEY=<span class="s">sk_test_…</span>`,
    ]),
    p(
      'Every command on this page then works as printed. Replace the ids with your own. The guides use both variables.',
    ),
    p(
      'To see each decision, send the `ip_address` `203.0.113.2`, which always gets `review`, or `203.0.113.3`, which always gets `block`. No request can force an `allow`.',
    ),
  ],
};

const authentication: Section = {
  id: 'authentication',
  title: 'Authentication',
  text: [
    p('Every request needs an API key: `Authorization: Bearer <API key>`. There are no sessions and no cookies.'),
    p(
      'A key belongs to one account and one environment. Its role gives it permissions, or it has a set of its own. Each operation names the permission it needs:',
    ),
    table(
      'Permissions',
      ['Permission', 'Allows to', 'Roles'],
      Object.entries(PERMISSION_MEANINGS).map(([permission, to]) => {
        const roles = Object.entries(ROLE_PERMISSIONS).filter(([, may]) => may.includes(permission as Permission));
        const names = roles.map(([role]) => code(role));
        return [code(permission), to, between(names, ', ')];
      }),
    ),
    p(
      "A key's secret is shown once, when the key is created. The service stores only a hash. Revoke and replace a lost key.",
    ),
  ],
};

const environments: Section = {
  id: 'environments',
  title: 'Environments',
  text: [
    p('The sandbox and production run the same models. Data of one environment is never visible in the other.'),
    table(
      'Environments',
      ['Environment', 'Keys begin with'],
      ENVIRONMENTS.map((environment) => [environment, code(KEY_PREFIXES[environment])]),
    ),
    p(
      'Where each environment has its own domain, a key works only on the domain of its environment. On the other one it gets 403 `wrong_environment`.',
    ),
  ],
};

const conventions: Section = {
  id: 'conventions',
  title: 'Conventions',
  text: html`<ul>
<li>${inline('Bodies are JSON in UTF-8, up to 64 KiB (512 KiB for entries of a list), sent as `Content-Type: application/json`.')}</li>
<li>${inline('Unknown fields of a request are ignored and listed in `warnings` of the response.')}</li>
<li>A response has all its fields unless they are marked optional. Ignore fields that you do not know.</li>
<li>${inline('`null` for an optional field of a request means that the field is absent.')}</li>
<li>${inline('Times are RFC 3339 in UTC. Requests may use any offset, or a plain date, which is midnight UTC.')}</li>
<li>${inline('Ids begin with their kind, such as `txn_`. Treat the rest as opaque.')}</li>
<li>${inline('Card numbers in any text of a request are masked before they are stored, with a warning.')}</li>
</ul>`,
};

const headers = ({ components = {} }: Document): Section => ({
  id: 'headers',
  title: 'Headers',
  text: [
    html`<h3>Request headers</h3>`,
    parameterTable(
      'Request headers',
      Object.entries(components.parameters ?? {}).map(([key, of]) => [anchor('header', key), of]),
    ),
    html`<h3>Response headers</h3>`,
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
      'A POST without a response can be retried safely with an `Idempotency-Key` of 1 to 255 characters, such as a UUID or your order number. For 24 hours, the same key with the same body on the same path returns the first response byte for byte, with `Idempotent-Replayed: true`. Nothing happens twice: no payment is counted again, no second case is opened, no webhook is sent again.',
    ),
    p(
      'The same key with another body is 422 `idempotency_key_reused`. While the first request is in progress, the key gets 409 `idempotency_in_progress`.',
    ),
  ],
};

const EXAMPLE: ErrorBody = {
  error: {
    code: 'invalid_request',
    message:
      '2 fields are invalid: amount must be greater than 0; billing_address.country must be a two-letter ISO 3166-1 country code, such as DE.',
    request_id: 'req_01kcy5v3n7f2q8r4t6w9x0y1z2',
    doc_url: errorDocUrl('invalid_request'),
    details: [
      { field: 'amount', message: 'must be greater than 0' },
      {
        field: 'billing_address.country',
        message: 'must be a two-letter ISO 3166-1 country code, such as DE; did you mean `GB`?',
      },
    ],
  },
};

const errors: Section = {
  id: 'errors',
  title: 'Errors',
  text: [
    p(
      'All errors have the same shape. Branch on `code`; `message` is for people. `details` lists every invalid field. `doc_url` is the path of the explanation on this page.',
    ),
    jsonPanel('Error', 'Example of an error', EXAMPLE),
    table(
      'Errors',
      ['Status', 'Code', 'When', 'What to do'],
      Object.entries(ERROR_STATUSES).map(([name, status]) => {
        const { when, remedy } = ERROR_MEANINGS[name as ErrorCode];
        const id = anchor('error', name);
        return [
          html`<span class="status bad">${status}</span>`,
          html`<code id="${id}">${name}</code>`,
          inline(when),
          inline(remedy),
        ];
      }),
    ),
    p('Retry 429, 500 and 503, a POST with the same `Idempotency-Key`. A retry of any other error fails again.'),
  ],
};

const versions = ({ components }: Document): Section => ({
  id: 'versions',
  title: 'Versions',
  text: [
    p('Paths begin with `/v1`. Breaking changes come under a new prefix. Responses may gain fields at any time.'),
    p(
      'Pin a release with `X-Api-Version` on every request. Without the header, the newest release answers. The releases are:',
    ),
    html`<ul>${(components?.parameters?.ApiVersion?.schema?.enum ?? []).map((release) => html`<li>${code(String(release))}</li>`)}</ul>`,
  ],
});

const health: Section = {
  id: 'health',
  title: 'Health and metrics',
  text: [
    p(
      '`GET /healthz` returns 200 while the process runs. `GET /readyz` returns 200 once the service can screen, and 503 before that and while it stops. Neither needs a key.',
    ),
    p('`GET /metrics` returns metrics in the Prometheus text format and needs an admin key.'),
  ],
};

/** The sections before the operations: everything that holds for all of them. */
export const introduction = (document: Document): readonly Section[] => [
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
