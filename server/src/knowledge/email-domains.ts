import { domainToASCII } from 'node:url';
import { hash53 } from '@portcullis/engine/stored';
import { readTable } from './table-file.ts';

export interface EmailDomains {
  readonly built: string;
  /** Subdomains count too: providers of disposable addresses hand them out. */
  isDisposable(domain: string): boolean;
  isFree(domain: string): boolean;
}

const contains = (sorted: Float64Array, value: number): boolean => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
};

/** Domains are stored as hashes: forty thousand of them as text would take ten times the memory. */
export const readEmailDomains = (path: URL): EmailDomains => {
  const { built, columns } = readTable(path);
  const { disposable, free } = columns as { disposable: Float64Array; free: Float64Array };
  return {
    built,
    isDisposable(domain) {
      for (let at = 0; domain.indexOf('.', at) !== -1; at = domain.indexOf('.', at) + 1)
        if (contains(disposable, hash53(at === 0 ? domain : domain.slice(at)))) return true;
      return false;
    },
    isFree: (domain) => contains(free, hash53(domain)),
  };
};

const NOT_ASCII = /[^\0-\x7f]/;

/** The domain of an e-mail address, spelled as in the tables; empty if there is none. */
export const domainOf = (email: string): string => {
  const at = email.lastIndexOf('@');
  if (at === -1) return '';
  const domain = email.slice(at + 1).toLowerCase();
  const ascii = NOT_ASCII.test(domain) ? domainToASCII(domain) : domain;
  return ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
};
