import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { judgeCeiling } from './ceiling.ts';
import { judgeLearning } from './learning.ts';
import type { WorldResult } from './measure-world.ts';
import { judgePeople } from './people.ts';
import { judgePublicData, type PublicResult } from './public-data.ts';
import { judgeQuiet } from './quiet.ts';
import { formatPart, type Part } from './report.ts';
import { loadServedModel, loadServedModelFile } from './served.ts';
import { type ServedFacts, servedFacts } from './served-facts.ts';
import { judgeTakeovers } from './takeovers.ts';
import { judgeTriple } from './triple.ts';
import { BUSINESSES } from './world/businesses.ts';
import { judgeWorlds } from './worlds.ts';

/**
 * Measures what the service decides, with the shipped model and the default policy, through the same engine.
 *
 *   --quick            fewer worlds and people
 *   --check            exit with 1 if a requirement is missed
 *   --save FILE        add the figures to a JSON file
 *   --baseline FILE    compare with figures saved by an earlier version
 *   --signals FILE     write the precision of each signal as JSON (worlds)
 *   --model FILE       another model than the shipped one
 *   --record FILE      write the facts of the measured items to a file
 *   --facts FILE       measure on recorded facts, without a replay (worlds, takeovers, quiet, triple, people)
 */
const USAGE =
  'npm run judge -- worlds|ceiling|learning|takeovers|quiet|triple|people|public FILE… [--quick] [--check] [--save FILE] [--record FILE | --facts FILE]';
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    model: { type: 'string' },
    save: { type: 'string' },
    baseline: { type: 'string' },
    signals: { type: 'string' },
    record: { type: 'string' },
    facts: { type: 'string' },
  },
});

const readJson = (path: string): Record<string, Record<string, unknown>> => JSON.parse(readFileSync(path, 'utf8'));
const { quick } = options;
/** Figures of an earlier version. */
const saved = options.baseline === undefined ? undefined : readJson(options.baseline);
const loadModel = () => loadServedModel(options.model);
const name = positionals[0] ?? '';
const RECORDED = ['worlds', 'takeovers', 'quiet', 'triple', 'people'];
if ((options.record ?? options.facts) !== undefined && !RECORDED.includes(name))
  throw new Error(`\`--record\` and \`--facts\` are for ${RECORDED.join(', ')}.`);
const openFacts = (): ServedFacts => servedFacts(options, quick ? `${name} --quick` : name);
const PARTS: Readonly<Record<string, () => Part | Promise<Part>>> = {
  worlds: () =>
    judgeWorlds({
      model: loadModel(),
      served: openFacts(),
      ...(quick ? { worlds: 36, itemsEach: 4000 } : { worlds: 36, itemsEach: 24_000 }),
      baseline: saved?.worlds?.worlds as WorldResult[] | undefined,
    }),
  ceiling: () =>
    judgeCeiling({
      model: loadModel(),
      ...(quick
        ? { training: 48, worlds: 12, itemsEach: 4000, trainingItemsEach: 4000 }
        : { training: 144, worlds: 36, itemsEach: 24_000, trainingItemsEach: 12_000 }),
    }),
  learning: () =>
    judgeLearning({
      base: loadServedModelFile(options.model).file,
      ...(quick ? { worlds: 12, itemsEach: 6000 } : { worlds: 36, itemsEach: 24_000 }),
    }),
  takeovers: () =>
    judgeTakeovers({
      model: loadModel(),
      served: openFacts(),
      ...(quick
        ? { businesses: 5, seeds: 1, thievesPerTakeover: 2 }
        : { businesses: BUSINESSES.length, seeds: 4, thievesPerTakeover: 2 }),
    }),
  quiet: () =>
    judgeQuiet({
      model: loadModel(),
      served: openFacts(),
      ...(quick ? { businesses: 5, people: 6 } : { businesses: BUSINESSES.length, people: 12 }),
    }),
  triple: () =>
    judgeTriple({
      model: loadModel(),
      served: openFacts(),
      ...(quick ? { businesses: 5, seeds: 1, people: 8 } : { businesses: BUSINESSES.length, seeds: 5, people: 8 }),
    }),
  people: () => judgePeople({ model: loadModel(), served: openFacts(), seeds: quick ? 1 : 6 }),
  public: () => {
    const files = positionals.slice(1);
    if (files.length === 0) throw new Error(`Name the files to measure: ${USAGE}`);
    return judgePublicData({ files, baseline: saved?.public?.results as PublicResult[] | undefined });
  },
};
const measure = PARTS[name];
if (measure === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
const part = await measure();
process.stdout.write(`${formatPart(part)}\n`);
if (options.save !== undefined) {
  const others = existsSync(options.save) ? readJson(options.save) : {};
  writeFileSync(options.save, `${JSON.stringify({ ...others, [name]: part.figures }, null, 1)}\n`);
}
if (options.signals !== undefined)
  writeFileSync(options.signals, `${JSON.stringify(part.figures.signals ?? [], null, 2)}\n`);
if (options.check && part.requirements.some(({ isReached }) => !isReached)) process.exitCode = 1;
