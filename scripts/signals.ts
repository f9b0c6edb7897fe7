import { writeFileSync } from 'node:fs';
import { DEFAULT_POLICY, MODEL_SIGNAL, SIGNAL_GROUPS, type Signal, TEST_ADDRESS_SIGNAL } from '@portcullis/engine';

const { version, baseScore, thresholds, points, testAddresses } = DEFAULT_POLICY;

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${text}\``;

const SCREENED: Readonly<Record<Signal['on'], string>> = {
  transaction: 'transactions',
  event: 'events',
  both: 'transactions and events',
};

/** A signal the policy does not name has no say, and the table must show that. */
const pointsOf = ({ name }: Signal): number => points[name] ?? 0;

const row = (signal: Signal): string =>
  `| ${code(signal.name)} | ${cell(signal.meaning)} | ${SCREENED[signal.on]} | ${pointsOf(signal)} |`;

const section = ({ title, signals }: (typeof SIGNAL_GROUPS)[number]): string => `## ${title}

| Signal | Active when | On | Points |
|---|---|---|---:|
${signals
  .toSorted((a, b) => pointsOf(b) - pointsOf(a))
  .map(row)
  .join('\n')}
`;

const addresses = Object.entries(testAddresses).map(
  ([address, decision]) => `${code(address)} always gets ${code(decision)}`,
);

/** The page about the signals, made from the very tables the engine decides by. */
export const signalsPage = (): string => `# Signals

This page is generated from the engine by \`npm run signals\`; change \`engine/src/signals-*.ts\` or \`engine/src/policy.ts\`, not this file.

Every score starts where the model puts it, or at ${baseScore} without a model. The points of active signals are hundredths of
what is left from there up to 100, and come to 100 together at most. A score of ${thresholds.review} or more is \`review\`, one of
${thresholds.block} or more is \`block\`, and anything below is \`allow\`. A signal without points is told and changes nothing. These
numbers are the policy ${code(version)}, which each decision names as its \`ruleset_version\`.

Signals compare a request with what was known before it. A member the request leaves out raises no signal: nothing is
concluded from what is missing. Amounts are compared in US dollars; currencies without a market rate are not compared.
Windows move in small steps, so one of 10 minutes reaches back 9 to 10 minutes; [ARCHITECTURE.md](../ARCHITECTURE.md#windows) tells how.

What is known of an address, an e-mail or a device token is told in [knowledge.md](knowledge.md). Where it is not known, or its source is out of
order, it raises no signal either. Confirmed fraud counts from when a [label](labels.md) told of it, not from when it happened; without labels
its signals stay silent.

${SIGNAL_GROUPS.map(section).join('\n')}
## The model

${code(MODEL_SIGNAL)} is in none of the tables: it says that the model alone puts the score at ${thresholds.review} or more. It has no points of its own; the features among
the factors tell why. [scoring.md](scoring.md) tells how the model comes to its score.

## Addresses for trying it out

${code(TEST_ADDRESS_SIGNAL)} is in none of the tables either: it comes from the built-in list of addresses for trying the service out and adds whatever
brings the score to the decision of that list. ${addresses.join(', ')}. No address gets \`allow\`: nothing a client sends may force that.
`;

if (import.meta.main) writeFileSync(new URL('../docs/signals.md', import.meta.url), signalsPage());
