import { ENVIRONMENTS, PERMISSIONS, ROLES } from '@portcullis/contract/values';
import { Command, Option } from 'commander';
import { durationOption, networkOption, permissionsOption, timeOption, wholeOption } from './commands/options.ts';
import { type Config, readConfig } from './config.ts';
import { printError } from './runtime/terminal.ts';
import { VERSION } from './runtime/version.ts';
import { settingsTable } from './settings-help.ts';
import { WORLDS } from './simulate/businesses.ts';

// Each command loads its modules when it runs, so that help and key commands start fast.

// Only the user that runs the command may read stored files, even in a folder that others can enter.
process.umask(0o077);

const configOrExit = (env = process.env): Config => {
  const config = readConfig(env);
  if (!('errors' in config)) return config;
  printError('error: the settings are invalid:');
  for (const error of config.errors) printError(`  ${error}`);
  process.exit(2);
};

const program = new Command('portcullis')
  .description('Fraud screening: a payment or login in, a decision with its reasons out.')
  .version(VERSION)
  // Wrong options exit with 2, like every other usage error.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .addHelpText(
    'after',
    '\nSettings are environment variables. `portcullis serve --help` lists them, docs/settings.md explains them.',
  );

program
  .command('serve')
  .description('serve the API')
  .addHelpText('after', () => `\nSettings (environment variables):\n${settingsTable()}`)
  .action(async () => {
    // Before the service is loaded: that takes ten times as long as reading the settings.
    const config = configOrExit();
    await (await import('./commands/serve.ts')).serve(config);
  });

program
  .command('migrate')
  .description('migrate the store to this version (serve does it too)')
  .action(async () => (await import('./commands/migrate.ts')).migrate(configOrExit()));

program
  .command('rebuild')
  .description('rebuild lost histories in Redis from the stored screenings and labels; the service may run')
  .action(async () => (await import('./commands/rebuild.ts')).rebuild(configOrExit()));

program
  .command('copy')
  .description(
    'copy the embedded store in DATA_DIR to an empty PostgreSQL database, and its histories to Redis. ' +
      'Stop the service first. An interrupted copy continues when the command is run again',
  )
  .addOption(
    new Option('--to <url>', 'target database, such as postgres://…').env('DATABASE_URL').makeOptionMandatory(),
  )
  .addOption(
    new Option(
      '--redis <url>',
      'target of the histories, such as redis://…; without it, run portcullis rebuild afterwards',
    ).env('REDIS_URL'),
  )
  // The source is always the embedded store, so settings of the target must not select another one.
  .action(async (flags) => {
    const config = configOrExit({ ...process.env, DATABASE_URL: '', REDIS_URL: '', ROLE: '' });
    await (await import('./commands/copy.ts')).copy(config, flags);
  });

program
  .command('search')
  .description('the tables that search reads')
  .command('rebuild')
  .description('write what search reads again from the stored screenings and labels; the service may run')
  .action(async () => (await import('./commands/search.ts')).rebuildSearch(configOrExit()));

const keyCommands = () => import('./commands/keys.ts');
const keys = program.command('keys').description('API keys, and the secret key of the installation');
keys
  .command('create')
  .description('create a key and show its secret once')
  .option('--account <name>', 'account of the key; created if it does not exist', 'default')
  .addOption(new Option('--environment <name>', 'environment of the key').choices(ENVIRONMENTS).default('sandbox'))
  .addOption(new Option('--role <name>', 'role of the key (default: "service")').choices(ROLES))
  .addOption(
    new Option('--permissions <names>', `instead of a role: some of ${PERMISSIONS.join(',')}`)
      .argParser(permissionsOption)
      .conflicts('role'),
  )
  .option('--label <text>', 'a name to recognise the key by')
  .option('--expires-in <time>', 'lifetime of the key, such as 90d (default: no end)', durationOption)
  .option(
    '--network <cidr>',
    'address or network from which the key works; can be repeated (default: all)',
    networkOption,
  )
  .option('--json', 'print JSON')
  .action(async (options) => (await keyCommands()).createKey(configOrExit(), options));
keys
  .command('roll')
  .description('replace a key: create one with the same permissions and settings, and end the old one')
  .argument('<key_id>')
  .addOption(
    new Option('--overlap <time>', 'how long the old key still works, such as 2h or 7d')
      .argParser(durationOption)
      .default(durationOption('24h'), '24h'),
  )
  .option('--label <text>', 'another name')
  .option('--expires-in <time>', 'another lifetime', durationOption)
  .option('--network <cidr>', 'other addresses or networks; can be repeated', networkOption)
  .option('--json', 'print JSON')
  .action(async (keyId: string, options) => (await keyCommands()).rollKey(configOrExit(), keyId, options));
keys
  .command('list')
  .description('list the active keys')
  .option('--json', 'print JSON')
  .action(async (options) => (await keyCommands()).listKeys(configOrExit(), options));
keys
  .command('revoke')
  .description('revoke a key permanently')
  .argument('<key_id>')
  .action(async (keyId: string) => (await keyCommands()).revokeKeyById(configOrExit(), keyId));

const peopleCommands = () => import('./commands/people.ts');
const people = program.command('people').description('people who sign in to the console');
people
  .command('link')
  .description(
    'make a link that sets a password, for 24 hours. A new person becomes administrator of both environments; ' +
      'the service may run',
  )
  .requiredOption('--email <address>', 'e-mail address of the person')
  .option('--account <name>', 'account of the person', 'default')
  .option('--name <text>', 'name of a new person', 'Administrator')
  .option('--json', 'print JSON')
  .action(async (options) => (await peopleCommands()).makePersonLink(configOrExit(), options));
people
  .command('list')
  .description('list the people of all accounts')
  .option('--json', 'print JSON')
  .action(async (options) => (await peopleCommands()).listPeople(configOrExit(), options));

keys
  .command('rotate-secret')
  .description(
    'replace the secret key of the installation in two steps. Without --retire: make the store accept a second secret ' +
      'key, which replaces secret.key in DATA_DIR or, with SECRET_KEY, is shown once (NEW_SECRET_KEY chooses it). ' +
      'The service may run',
  )
  .option(
    '--retire',
    'second step, with the new secret key: re-encrypt the data and stop accepting every other secret key. ' +
      'Restart every process with the new one first',
  )
  .option('--json', 'print JSON')
  .action(async (options) => (await import('./commands/rotate-secret.ts')).rotateSecret(configOrExit(), options));

const auditCommands = () => import('./commands/audit.ts');
const audit = program.command('audit').description('verify the audit logs of all accounts; the service may run');
audit
  .command('check')
  .description('verify every audit log against the anchor outside the database; exit code 1 if one is not intact')
  .option('--anchors <file>', 'also compare with anchors that "audit anchor" printed earlier')
  .option('--json', 'print JSON')
  .action(async (options) => (await auditCommands()).checkAudit(configOrExit(), options));
audit
  .command('anchor')
  .description('print the newest entry of every audit log, to store outside the installation')
  .action(async () => (await auditCommands()).exportAnchors(configOrExit()));
audit
  .command('accept')
  .description('accept the audit logs as they are, such as after restoring a backup, and anchor them again')
  .requiredOption('--reason <text>', 'reason, which is stored in the audit log')
  .action(async (options) => (await auditCommands()).acceptAudit(configOrExit(), options));

program
  .command('demo')
  .description(
    'show the product: serve a made-up shop with a month of history, from a temporary folder, and open its console',
  )
  .addOption(
    new Option('--users <n>', 'number of customers of the shop').argParser(wholeOption(10, 20_000)).default(3000),
  )
  .option('--no-open', 'do not open the console in a browser')
  .action(async (flags) => (await import('./commands/demo.ts')).demo(configOrExit, flags));

program
  .command('simulate')
  .description('write a simulated history with known fraud, for backtests and demos')
  .option('--seed <n>', 'seed: the same seed gives the same history', '22')
  .option('--users <n>', 'number of customers', '2000')
  .option('--days <n>', 'number of days', '60')
  .option('--start <day>', 'first day', '2026-01-01')
  .addOption(new Option('--world <kind>', 'kind of business').choices(WORLDS).default('shop'))
  .option('--attacks <names>', 'all, none, or comma-separated names from docs/simulate.md', 'all')
  .option('--fraud-share <part>', 'share of items that are fraud, such as 0.01 (default: drawn from the seed)')
  .option('--out <file>', 'output file, gzipped if it ends in .gz (default: standard output)')
  .action(async (flags) => (await import('./commands/simulate.ts')).simulateFile(flags));

const labelDelay = (): Option =>
  new Option('--label-delay <time>', 'delay after which the label of an item becomes known')
    .argParser(durationOption)
    .default(durationOption('7d'), '7d');

program
  .command('backtest')
  .description('replay a history from a file in memory and report how well its fraud would have been detected')
  .argument('<file>', 'CSV (header = field names) or NDJSON, plain or .gz, with occurred_at and, where known, label')
  .option('--test-from <time>', 'start of the tested period; earlier items only build histories', timeOption)
  .option('--test-until <time>', 'end of the tested period', timeOption)
  .addOption(labelDelay())
  .option(
    '--train-days <n>',
    'train a model first, on this many days of items with labels known at --test-from (default: use the shipped model)',
    wholeOption(1, 3660),
  )
  .option('--retrain-every <time>', 'train again at this interval', durationOption)
  .option('--rules <file>', 'policy to test, in JSON: thresholds, points by signal and a budget')
  .option('--model <file>', 'model file to test (default: MODEL_FILE or the shipped model)')
  .option('--seed <n>', 'seed of the training', wholeOption(0, 4_294_967_295), 1)
  .option('--scores <file>', 'write row,probability,risk_score,decision of every tested item as CSV')
  .option('--report <file>', 'write an HTML report with charts and tables')
  .option('--json', 'print JSON')
  .action(async (file: string, flags) =>
    (await import('./commands/backtest.ts')).backtestFile(configOrExit(), file, flags),
  );

program
  .command('train')
  .description(
    'train a model from a labelled history into a file. With --account, train a challenger from the labels of an account in the store; ' +
      'it becomes champion if it passes every gate',
  )
  .argument('[file]', 'labelled history, as for backtest')
  .option('--out <file>', 'output file of the model')
  .option('--until <time>', 'use only labels known at this time', timeOption)
  .option('--train-days <n>', 'use only this many days of items', wholeOption(1, 3660))
  .addOption(labelDelay())
  .option('--seed <n>', 'seed: the same rows and seed give the same model', wholeOption(0, 4_294_967_295), 1)
  .option('--account <name>', 'train for this account in the store; the service may run')
  .option(
    '--maturity-days <n>',
    'with --account: age in days at which an allowed item without a label counts as legitimate (default: 30)',
    wholeOption(0, 89),
  )
  .option('--json', 'print JSON')
  .action(async (file: string | undefined, flags, command: Command) => {
    const given = (...names: string[]): string | undefined =>
      names.find((name) => command.getOptionValueSource(name) === 'cli');
    const ofFile = given('out', 'until', 'trainDays', 'labelDelay', 'seed');
    if (flags.account === undefined) {
      if (file === undefined) return command.error("error: missing argument 'file', or '--account <name>'");
      if (flags.out === undefined) return command.error("error: required option '--out <file>' not specified");
      if (given('maturityDays') !== undefined)
        return command.error("error: option '--maturity-days' requires '--account'");
      return (await import('./commands/train-file.ts')).trainFile(configOrExit(), file, flags);
    }
    if (file !== undefined || ofFile !== undefined)
      return command.error(
        "error: option '--account' trains from the store and cannot be combined with a file or its options",
      );
    return (await import('./commands/train-account.ts')).trainAccount(configOrExit(), flags);
  });

program
  .command('import')
  .description(
    'import past transactions, events and labels from a file into the running service, at the time they happened. ' +
      'An interrupted import continues when the command is run again',
  )
  .argument('<file>', 'CSV, or NDJSON if the name ends in .ndjson, .jsonl or .json; .gz may follow')
  .addOption(new Option('--url <url>', 'address of the service').env('PORTCULLIS_URL').default('http://127.0.0.1:8080'))
  .option('--until <time>', 'leave out items from this time on: the service has screened them', timeOption)
  .addOption(labelDelay())
  .addHelpText('after', '\nPORTCULLIS_KEY must be an API key with the permission tune: roles admin and manager.')
  .action(async (file: string, flags) =>
    (await import('./commands/import-file.ts')).importFile(file, process.env.PORTCULLIS_KEY, flags),
  );

// A reader such as `head` closes the pipe when it has enough. That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

program.parseAsync().catch((error: unknown) => {
  printError(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
