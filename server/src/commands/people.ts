import { makeKeys } from '../access/keys.ts';
import { makeAudit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import { openRecordStore } from '../backend/open.ts';
import { makeNote } from '../changes/changes.ts';
import type { Config } from '../config.ts';
import { openKeysOf } from '../installation.ts';
import { type LinkFor, linkFor, listEverybody } from '../people/link-for.ts';
import { makeIds } from '../runtime/ids.ts';
import { print } from '../runtime/terminal.ts';
import { failUsage } from './fail.ts';

const withStore = async (config: Config, act: (backend: Backend) => Promise<void>): Promise<void> => {
  const backend = await openRecordStore(config);
  try {
    await act(backend);
  } finally {
    await backend.close();
  }
};

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Makes a link that sets a password. A running service accepts it at once. */
export const makePersonLink = (config: Config, flags: LinkFor & { json?: boolean }): Promise<void> => {
  if (!EMAIL.test(flags.email))
    return Promise.resolve(failUsage('--email must be an address such as mara@example.com'));
  return withStore(config, async (backend) => {
    const { seal } = await openKeysOf(backend, config);
    const clock = Date.now;
    const newId = makeIds(clock);
    const audit = makeAudit({ backend, seal, clock });
    const { tenantOf } = makeKeys({ backend, audit, seal, note: makeNote('command_line', clock), newId, clock });
    const made = await linkFor({ backend, audit, newId, clock, tenantOf }, flags);
    if (made === undefined) return failUsage(`${flags.email} belongs to another account. Name it with --account.`);
    const { link, isNew } = made;
    if (flags.json) return print(JSON.stringify(link));
    if (isNew) print(`${flags.email} is now an administrator of ${flags.account}, in both environments.`);
    print(`The link works once, until ${link.expires_at}:\n`);
    print(`  http://${config.host}:${config.port}${link.path}`);
  });
};

export const listPeople = (config: Config, options: { json?: boolean }): Promise<void> =>
  withStore(config, async (backend) => {
    const people = await listEverybody(backend);
    if (options.json) return print(JSON.stringify(people));
    if (people.length === 0) print('No people. Add one with: portcullis people link --email <address>');
    for (const { person_id, account, email, roles } of people)
      print(
        `${person_id}  ${account.padEnd(12)} ${email.padEnd(28)} sandbox: ${roles.sandbox ?? '-'}, production: ${roles.production ?? '-'}`,
      );
  });
