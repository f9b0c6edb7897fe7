import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

const root = fileURLToPath(new URL('../console/', import.meta.url));

/** The server puts a new value in its place in each response. */
export const NONCE = '__NONCE__';

/** Files by path, such as `index.html`. The same sources give the same bytes, in any folder. */
export type ConsoleFiles = ReadonlyMap<string, Uint8Array>;

/** React changes rarely, so browsers keep it over releases of the console. */
const REACT = /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/;

/** The folder of the package that a file belongs to. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//;

/** The licences of everything that the files contain, which have to be shipped with it. */
const licencesOf = (modules: readonly string[]): string => {
  const folders = new Set(modules.flatMap((id) => PACKAGE.exec(id.replace('\0', '').split('?', 1)[0] as string) ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as Record<
      string,
      string
    >;
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    return `${name} ${version}, ${license}\n\n${file === undefined ? '' : readFileSync(folder + file, 'utf8').trim()}\n`;
  });
  return texts.sort().join('\n---\n\n');
};

/** React has another build for development, which it chooses by this variable. Test runners set it. */
const inProduction = async <Result>(run: () => Promise<Result>): Promise<Result> => {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
};

/**
 * Lets Mantine write its style elements as text. It writes them as HTML, which a page with Trusted Types refuses; the content
 * of a style element is the same in both ways.
 */
const stylesAsText = {
  name: 'styles-as-text',
  transform: (code: string, id: string): string | undefined =>
    id.includes('/@mantine/core/') && code.includes('"style"')
      ? code
          .replaceAll(/dangerouslySetInnerHTML: \{ __html: (.+) \}$/gm, 'children: $1')
          .replaceAll('style.innerHTML = ', 'style.textContent = ')
      : undefined,
};

const bundle = (): Promise<Rolldown.RolldownOutput> =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    // Addresses are relative: the server serves the files under a path with their digest.
    base: './',
    publicDir: false,
    plugins: [stylesAsText],
    html: { cspNonce: NONCE },
    build: {
      write: false,
      target: ['chrome123', 'firefox127', 'safari17.5'],
      // With older browsers in mind, `light-dark()` would be rewritten, and every colour lost.
      cssTarget: ['chrome123', 'firefox127', 'safari17.5'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      // Names without hashes: a change of one page changes one file.
      rolldownOptions: {
        // Every file of Mantine begins with "use client", which means nothing in a browser.
        onLog: (level, log, handle) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
        },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
          codeSplitting: { groups: [{ name: 'react', test: REACT }] },
        },
      },
    },
  }) as Promise<Rolldown.RolldownOutput>;

export const buildConsole = async (): Promise<ConsoleFiles> => {
  const { output } = await inProduction(bundle);
  const files = new Map<string, Uint8Array>();
  for (const file of output) {
    const content = file.type === 'chunk' ? file.code : file.source;
    files.set(file.fileName, typeof content === 'string' ? Buffer.from(content) : content);
  }
  const modules = output.flatMap((file) =>
    file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map((name) => root + name),
  );
  files.set('licences.txt', Buffer.from(licencesOf(modules)));
  // Set before the first paint: a module would run too late.
  files.set('theme.js', readFileSync(new URL('../console/theme.js', import.meta.url)));
  return files;
};
