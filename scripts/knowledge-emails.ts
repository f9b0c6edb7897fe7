import { readFileSync } from 'node:fs';
import { hash53 } from '@portcullis/engine';

const readJson = (path: string): string[] => JSON.parse(readFileSync(path, 'utf8')) as string[];

/** Real providers, or places under which anybody registers names, that lists of throw-away domains hold by mistake. */
const NOT_DISPOSABLE = new Set(
  'hongkong.com vfemail.net safe-mail.net nameplanet.com za.com co.cc us.to uk.to mooo.com duck.com'.split(' '),
);
/** Well-known ones that the lists of providers lack. */
const ALSO_FREE = (
  'gmail.com googlemail.com proton.me protonmail.com pm.me tutanota.com tutanota.de tuta.com tuta.io icloud.com me.com ' +
  'mac.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com aol.com gmx.com gmx.de gmx.net gmx.at gmx.ch ' +
  'web.de mail.com mail.ru bk.ru list.ru inbox.ru internet.ru yandex.com yandex.ru ya.ru qq.com 163.com 126.com sina.com ' +
  'naver.com daum.net hanmail.net zoho.com zohomail.com duck.com fastmail.com laposte.net libero.it seznam.cz wp.pl o2.pl'
).split(' ');

const hashes = (domains: Iterable<string>): Float64Array => Float64Array.from(domains, hash53).sort();

export interface Lists {
  /** Kept by hand, with a list of exceptions of its own. */
  readonly curated: string;
  /** Two that take in whatever is reported: believed where they agree. */
  readonly wide: string;
  readonly checker: string;
  /** The same for free providers. */
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
