import { ENVIRONMENTS, ROLES } from '@portcullis/contract';
import { Command, Option } from 'commander';
import { durationOption, timeOption, wholeOption } from './commands/options.ts';
import { type Config, readConfig } from './config.ts';
import { complain } from './say.ts';
import { WORLDS } from './simulate/businesses.ts';
import { VERSION } from './version.ts';

// What a command needs is loaded when it runs: a key is made, and help read, without waiting for the service and the trainer.

// What is stored is for the account that runs it alone, also in a folder that others can enter.
process.umask(0o077);

const configOrExit = (env = process.env): Config => {
  const config = readConfig(env);
  if (!('mistakes' in config)) return config;
  complain('The settings have mistakes:');
  for (const mistake of config.mistakes) complain(`  ${mistake}`);
  process.exit(2);
};

const program = new Command('portcullis')
  .description('Fraud screening: a payment or login in, a decision with its reasons out.')
  .version(VERSION)
  .addHelpText('after', '\nSettings are environment variables; docs/settings.md lists them.');

program
  .command('serve')
  .description('serve the API')
  .action(async () => (await import('./commands/serve.ts')).serve(configOrExit()));

program
  .command('migrate')
  .description('bring the store up to date (serve does so too)')
  .action(async () => (await import('./commands/migrate.ts')).migrateStore(configOrExit()));

program
  .command('rebuild')
  .description(
    'make the histories in Redis anew from the stored screenings and labels, after they were lost; the service may run',
  )
  .action(async () => (await import('./commands/rebuild.ts')).rebuild(configOrExit()));

program
  .command('copy')
  .description(
    'copy the embedded store of DATA_DIR into an empty PostgreSQL, and its histories into Redis, to serve it from there; stop the service first. ' +
      'Broken off, it goes on when it is run again',
  )
  .addOption(new Option('--to <url>', 'the database: postgres://…').env('DATABASE_URL').makeOptionMandatory())
  .addOption(
    new Option('--redis <url>', 'for histories: redis://…; without it, portcullis rebuild makes them anew').env(
      'REDIS_URL',
    ),
  )
  // What is copied is the embedded store, wherever to.
  .action(async (flags) => {
    const config = configOrExit({ ...process.env, DATABASE_URL: '', REDIS_URL: '', ROLE: '' });
    await (await import('./commands/copy.ts')).copy(config, flags);
  });

const keyCommands = () => import('./commands/keys.ts');
const keys = program.command('keys').description('make, list and revoke API keys');
keys
  .command('create')
  .description('make a key and show its secret once')
  .option('--account <name>', 'the account it belongs to; made if new', 'default')
  .addOption(new Option('--environment <name>', 'where it works').choices(ENVIRONMENTS).default('sandbox'))
  .addOption(new Option('--role <name>', 'what it may do').choices(ROLES).default('service'))
  .option('--label <text>', 'for people')
  .option('--json', 'print JSON')
  .action(async (options) => (await keyCommands()).createKey(configOrExit(), options));
keys
  .command('list')
  .description('list the keys that are not revoked')
  .option('--json', 'print JSON')
  .action(async (options) => (await keyCommands()).listKeys(configOrExit(), options));
keys
  .command('revoke')
  .description('revoke a key, for good')
  .argument('<key_id>')
  .action(async (keyId: string) => (await keyCommands()).revokeKeyById(configOrExit(), keyId));

program
  .command('simulate')
  .description('make up a history with known fraud, to try things on')
  .option('--seed <n>', 'another number, another history', '1')
  .option('--users <n>', 'how many people', '2000')
  .option('--days <n>', 'how long', '60')
  .option('--start <day>', 'the first day', '2026-01-01')
  .addOption(new Option('--world <kind>', 'what sort of business').choices(WORLDS).default('shop'))
  .option('--attacks <names>', 'all, none, or names with commas; docs/simulate.md lists them', 'all')
  .option('--fraud-share <part>', 'the part of all items that is fraud, such as 0.01; drawn from the seed if not given')
  .option('--out <file>', 'where to; gzipped if it ends in .gz; standard output if not given')
  .action(async (flags) => (await import('./commands/simulate.ts')).simulateFile(flags));

const labelDelay = (): Option =>
  new Option('--label-delay <time>', 'how long after an item its label becomes known')
    .argParser(durationOption)
    .default(durationOption('7d'), '7d');

program
  .command('backtest')
  .description('replay a history from a file through the engine, in memory, and tell how it would have done')
  .argument('<file>', 'CSV (header = member names) or NDJSON, plain or .gz, with occurred_at and, where known, label')
  .option('--test-from <time>', 'report from here on; histories warm up on all before', timeOption)
  .option('--test-until <time>', 'and up to here', timeOption)
  .addOption(labelDelay())
  .option(
    '--train-days <n>',
    'train first, on so many days of items whose labels are known at --test-from; without it the shipped model scores',
    wholeOption(1, 3660),
  )
  .option('--retrain-every <time>', 'and again every so often', durationOption)
  .option('--rules <file>', 'a policy to try, in JSON: thresholds and points by signal')
  .option('--model <file>', 'a model to try instead of the one in force')
  .option('--seed <n>', 'of training', wholeOption(0, 4_294_967_295), 1)
  .option('--scores <file>', 'write row,probability,risk_score,decision of every tested item as CSV')
  .option('--report <file>', 'write a page with curves and tables to look at')
  .option('--json', 'print JSON')
  .action(async (file: string, flags) =>
    (await import('./commands/backtest.ts')).backtestFile(configOrExit(), file, flags),
  );

program
  .command('train')
  .description(
    "learn a model: from a history with labels, into a file, or, with --account, a challenger from the account's own labels in the store, " +
      'which becomes its champion if it passes every gate',
  )
  .argument('[file]', 'a history, as for backtest')
  .option('--out <file>', 'where the model of a history goes')
  .option('--until <time>', 'learn from labels known at this time', timeOption)
  .option('--train-days <n>', 'learn from so many days of items', wholeOption(1, 3660))
  .addOption(labelDelay())
  .option('--seed <n>', 'the same rows and seed give the same model', wholeOption(0, 4_294_967_295), 1)
  .option('--account <name>', 'train for this account in the store of DATA_DIR; a service may be running on it')
  .option(
    '--maturity-days <n>',
    'with --account: an allowed item that nobody labelled counts as legitimate when it is this old (default: 30)',
    wholeOption(0, 89),
  )
  .option('--json', 'print JSON')
  .action(async (file: string | undefined, flags, command: Command) => {
    const given = (...names: string[]): string | undefined =>
      names.find((name) => command.getOptionValueSource(name) === 'cli');
    const ofFile = given('out', 'until', 'trainDays', 'labelDelay', 'seed');
    if (flags.account === undefined) {
      if (file === undefined) return command.error("error: name a history, or an account with '--account <name>'");
      if (flags.out === undefined) return command.error("error: required option '--out <file>' not specified");
      if (given('maturityDays') !== undefined)
        return command.error("error: '--maturity-days' goes with '--account' alone");
      return (await import('./commands/train.ts')).trainFile(configOrExit(), file, flags);
    }
    if (file !== undefined || ofFile !== undefined)
      return command.error("error: '--account' learns from the store: it takes no history, and no option of one");
    return (await import('./commands/train-account.ts')).trainAccount(configOrExit(), flags);
  });

// Who reads only the first lines closes the pipe; that is no fault of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

program.parseAsync().catch((error: unknown) => {
  complain(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
