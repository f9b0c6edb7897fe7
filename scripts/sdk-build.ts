import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const device = fileURLToPath(new URL('../device/', import.meta.url));
const library = dirname(dirname(createRequire(join(device, 'package.json')).resolve('@fingerprintjs/fingerprintjs')));
/** Browsers of 2020 and later understand this syntax. */
const TARGET = 'es2020';

const banner = (): string => {
  const { version } = JSON.parse(readFileSync(join(device, 'package.json'), 'utf8')) as { version: string };
  const licence = readFileSync(join(library, 'LICENSE'), 'utf8').trim();
  return `/*! @portcullis/device ${version}, Apache-2.0. Holds parts of FingerprintJS, under this licence:\n\n${licence}\n*/`;
};

/**
 * Removes every source of the library that our code does not name. A bundler would keep all of them, with the source that
 * sets a cookie and the lists of advertisements. Removed code cannot run, and readers of the script can verify that.
 */
const onlyNamedSources = (): Plugin => {
  const code = readFileSync(join(device, 'src/components.ts'), 'utf8');
  const named = new Set([...code.matchAll(/\bsources\.(\w+)/g)].map(([, name]) => name));
  return {
    name: 'only-named-sources',
    transform: {
      filter: { id: /fp\.esm\.js$/ },
      handler: (text) =>
        text.replace(/const sources = \{[^}]*\n\};/, (table) =>
          table.replaceAll(/^ +(\w+): \w+,\n/gm, (line, name: string) => (named.has(name) ? line : '')),
        ),
    },
  };
};

const bundle = async (entry: string, format: 'es' | 'iife'): Promise<string> => {
  const build = await rolldown({
    input: join(device, 'src', entry),
    plugins: [onlyNamedSources()],
    transform: { target: TARGET },
  });
  const { output } = await build.generate({ format, minify: format === 'iife', postBanner: banner() });
  await build.close();
  return output[0].code;
};

/** The script at `/sdk/device.js`. */
export const buildScript = (): Promise<string> => bundle('script.ts', 'iife');
/** The module of the npm package; it has no dependencies left. */
export const buildModule = (): Promise<string> => bundle('index.ts', 'es');

/** The value of the `integrity` attribute: https://www.w3.org/TR/SRI/ */
export const integrityOf = (script: string): string => `sha384-${createHash('sha384').update(script).digest('base64')}`;
