import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const FOLDER = new URL('../../console/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
/** In `index.html`, in place of the nonce. */
const NONCE = /__NONCE__/g;

export interface ConsoleFile {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

export interface ConsoleSource {
  /** Changes with every file. It is part of their addresses, so browsers can keep them for a year. */
  readonly digest: string;
  readonly files: readonly ConsoleFile[];
  /** The page with the addresses of its files, still without a nonce. */
  readonly page: string;
}

/** Reads the files that `npm run console` made. */
export const readConsole = async (): Promise<ConsoleSource> => {
  const names = (await readdir(FOLDER)).sort();
  const hash = createHash('sha256');
  const files: ConsoleFile[] = [];
  for (const name of names) {
    const content = await readFile(new URL(name, FOLDER));
    hash.update(`${name}\n${content.length}\n`).update(content);
    const type = TYPES[extname(name)];
    if (type !== undefined) files.push({ name, type, content });
  }
  const digest = hash.digest('base64url').slice(0, 16);
  const page = await readFile(new URL('index.html', FOLDER), 'utf8');
  return { digest, files, page: page.replaceAll(/(?<=(?:src|href)=")\.\//g, `/console/~${digest}/`) };
};

/** Scripts and styles come only from this service. Mantine adds style elements, which carry the nonce of the page. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // No text becomes markup or a script, and no policy may make it so.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** The page for one response, with the headers that protect it. */
export const renderConsole = ({ page }: ConsoleSource): { html: string; headers: Readonly<Record<string, string>> } => {
  const nonce = randomBytes(16).toString('base64url');
  return {
    html: page.replaceAll(NONCE, nonce),
    headers: {
      'Content-Security-Policy': policyOf(nonce),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
  };
};
