import { readFileSync } from 'node:fs';
import { hash53 } from '@portcullis/engine';

const readJson = (path: string): string[] => JSON.parse(readFileSync(path, 'utf8')) as string[];

/** Real providers and public suffixes that lists of disposable domains contain by mistake. */
const NOT_DISPOSABLE = new Set(
  'hongkong.com vfemail.net safe-mail.net nameplanet.com za.com co.cc us.to uk.to mooo.com duck.com'.split(' '),
);
/** Well-known free providers that the lists lack. */
const ALSO_FREE = (
  'gmail.com googlemail.com proton.me protonmail.com pm.me tutanota.com tutanota.de tuta.com tuta.io icloud.com me.com ' +
  'mac.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com aol.com gmx.com gmx.de gmx.net gmx.at gmx.ch ' +
  'web.de mail.com mail.ru bk.ru list.ru inbox.ru internet.ru yandex.com yandex.ru ya.ru qq.com 163.com 126.com sina.com ' +
  'naver.com daum.net hanmail.net zoho.com zohomail.com duck.com fastmail.com laposte.net libero.it seznam.cz wp.pl o2.pl'
).split(' ');

const hashes = (domains: Iterable<string>): Float64Array => Float64Array.from(domains, hash53).sort();

/** Paths of the source lists. */
export interface Lists {
  /** Curated by hand, with its own exceptions. */
  readonly curated: string;
  /** Two lists of unverified reports. A domain counts if both contain it. */
  readonly wide: string;
  readonly checker: string;
  /** Two lists of free providers. A domain counts if both contain it. */
  readonly free: string;
  readonly providers: string;
}

export const emailColumns = ({ curated, wide, checker, free, providers }: Lists) => {
  const checked = new Set(readFileSync(checker, 'utf8').match(/(?<=")[a-z0-9.-]+\.[a-z0-9-]+(?=")/g));
  const disposable = new Set([...readJson(curated), ...readJson(wide).filter((domain) => checked.has(domain))]);
  for (const domain of NOT_DISPOSABLE) disposable.delete(domain);
  const provided = new Set(readJson(providers));
  const agreed = readJson(free).filter((domain) => provided.has(domain) && !disposable.has(domain));
  return { disposable: hashes(disposable), free: hashes(new Set([...agreed, ...ALSO_FREE])) };
};
