import { readFileSync, writeFileSync } from 'node:fs';
import {
  DEFAULT_POLICY,
  MODEL_SIGNAL,
  SIGNAL_GROUPS,
  type Signal,
  type SignalPrecision,
  TEST_ADDRESS_SIGNAL,
} from '@portcullis/engine';
import { code, table } from './markdown.ts';

const { thresholds, testAddresses } = DEFAULT_POLICY;

const SUBJECTS: Readonly<Record<Signal['on'], string>> = {
  transaction: 'transactions',
  event: 'events',
  both: 'transactions and events',
};

/** Written by `npm run judge -- worlds --signals judge/signal-precision.json`. */
const measured: readonly SignalPrecision[] = JSON.parse(
  readFileSync(new URL('../judge/signal-precision.json', import.meta.url), 'utf8'),
);
/** With fewer items, a share says little. */
const FEWEST_ITEMS = 30;
const percent = (share: number): string => (100 * share).toFixed(share < 0.1 ? 1 : 0);
const precisionOf = (name: string): string => {
  const of = measured.find(({ signal }) => signal === name);
  if (of === undefined || of.items < FEWEST_ITEMS) return '–';
  return `${percent(of.precision)} % (${percent(of.low)} to ${percent(of.high)} %)`;
};

const row = ({ name, meaning, on }: Signal): string[] => [code(name), meaning, SUBJECTS[on], precisionOf(name)];

const section = ({ title, signals }: (typeof SIGNAL_GROUPS)[number]): string => `## ${title}

${table(['Signal', 'Active when', 'On', 'Precision'], signals.map(row))}
`;

const addresses = Object.entries(testAddresses).map(
  ([address, decision]) => `${code(address)} always gets ${code(decision)}`,
);

/** The documentation page of all signals, generated from the tables the engine decides by. */
export const signalsPage = (): string => `# Signals

This page is generated from the engine by \`npm run signals\`. Change \`engine/src/signals/*.ts\` or \`engine/src/decide/policy.ts\`, not this file.

A signal names a pattern that a person understands. The [model](scoring.md) has learned how much each signal says about fraud, alone and with
everything else that is known: a signal never lowers a score, and none decides alone. Every active signal is listed with its evidence among the
factors of a decision, even where it adds nothing. A [policy](policy.md) can give a signal points of its own, which come on top.

Signals compare a request with the history before it. A missing field raises no signal. Amounts are compared in US dollars; a currency without a
market rate is not compared. Time windows move in small steps, so a window of 10 minutes covers 9 to 10 minutes:
see [ARCHITECTURE.md](../ARCHITECTURE.md#windows).

[knowledge.md](knowledge.md) describes the facts about IP addresses, e-mail addresses and device tokens. An unknown fact, or one whose data source is
unavailable, raises no signal. Confirmed fraud counts from when a [label](labels.md) reports it, not from when it happened. Without labels, the signals of
confirmed fraud are never active.

**Precision** is the share of fraud among the items with the signal, with its 95 % interval, in the [simulated businesses](../judge/README.md) that no model was
trained on. Fraud is one to three in a hundred items there, and every label is known after a week. \`–\` marks a signal with fewer than ${FEWEST_ITEMS} items: simulated callers
send no device tokens, for example. \`npm run judge -- worlds --signals judge/signal-precision.json\` measures it. \`portcullis backtest\` measures it on your own history.

${SIGNAL_GROUPS.map(section).join('\n')}
## The model

${code(MODEL_SIGNAL)} is active when the model puts the score at ${thresholds.review} or more, so that every held item has a reason, even where no pattern with a name
is active. The features among the factors are the reasons then.

## Test addresses

${code(TEST_ADDRESS_SIGNAL)} is active for the built-in test addresses, and adds the points that lead to their decision. ${addresses.join(', ')}. No address
gets \`allow\`, because a client must not be able to force it.
`;

if (import.meta.main) writeFileSync(new URL('../docs/signals.md', import.meta.url), signalsPage());
