import { writeFileSync } from 'node:fs';
import { DEFAULT_POLICY, MODEL_SIGNAL, SIGNAL_GROUPS, type Signal, TEST_ADDRESS_SIGNAL } from '@portcullis/engine';
import { code, table } from './markdown.ts';

const { version, baseScore, thresholds, points, testAddresses } = DEFAULT_POLICY;

const SUBJECTS: Readonly<Record<Signal['on'], string>> = {
  transaction: 'transactions',
  event: 'events',
  both: 'transactions and events',
};

/** A signal that the policy does not name has no points. */
const pointsOf = ({ name }: Signal): number => points[name] ?? 0;

const row = (signal: Signal): string[] => [
  code(signal.name),
  signal.meaning,
  SUBJECTS[signal.on],
  String(pointsOf(signal)),
];

const section = ({ title, signals }: (typeof SIGNAL_GROUPS)[number]): string => `## ${title}

${table(['Signal', 'Active when', 'On', 'Points'], signals.toSorted((a, b) => pointsOf(b) - pointsOf(a)).map(row), [
  '---',
  '---',
  '---',
  '---:',
])}
`;

const addresses = Object.entries(testAddresses).map(
  ([address, decision]) => `${code(address)} always gets ${code(decision)}`,
);

/** The documentation page of all signals, generated from the tables the engine decides by. */
export const signalsPage = (): string => `# Signals

This page is generated from the engine by \`npm run signals\`. Change \`engine/src/signals/*.ts\` or \`engine/src/decide/policy.ts\`, not this file.

Every score starts with the score of the model, or with ${baseScore} without a model. The points of all active signals are added, up to 100.
Their sum is the percentage of the gap to 100 that they close: with 30 points, a score of ${baseScore} becomes ${Math.round(baseScore + 0.3 * (100 - baseScore))}. A score of ${thresholds.review} or more is
\`review\`, a score of ${thresholds.block} or more is \`block\`, and any other score is \`allow\`. A signal without points is reported but does not change the score.
These numbers belong to the policy ${code(version)}, which each decision names in its \`ruleset_version\`.

Signals compare a request with the history before it. A missing field raises no signal. Amounts are compared in US dollars; a currency without a
market rate is not compared. Time windows move in small steps, so a window of 10 minutes covers 9 to 10 minutes:
see [ARCHITECTURE.md](../ARCHITECTURE.md#windows).

[knowledge.md](knowledge.md) describes the facts about IP addresses, e-mail addresses and device tokens. An unknown fact, or one whose data source is
unavailable, raises no signal. Confirmed fraud counts from when a [label](labels.md) reports it, not from when it happened. Without labels, the signals of
confirmed fraud are never active.

${SIGNAL_GROUPS.map(section).join('\n')}
## The model

${code(MODEL_SIGNAL)} is active when the model alone puts the score at ${thresholds.review} or more. It has no points. The features among the factors are the
reasons. [scoring.md](scoring.md) describes how the model computes its score.

## Test addresses

${code(TEST_ADDRESS_SIGNAL)} is active for the built-in test addresses, and adds the points that lead to their decision. ${addresses.join(', ')}. No address
gets \`allow\`, because a client must not be able to force it.
`;

if (import.meta.main) writeFileSync(new URL('../docs/signals.md', import.meta.url), signalsPage());
