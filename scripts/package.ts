import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyBundled, type Dependencies, findBundled, type Lock } from './package-bundle.ts';
import { copyFiles, readText, root } from './package-files.ts';

const WORKSPACES = ['server', 'contract', 'engine'];

const README = `# Portcullis

A fraud screening service that you run yourself.

- \`npx portcullis demo\` shows it with a made-up shop, in a temporary folder.
- \`npx portcullis serve\` serves on http://127.0.0.1:8080 and stores its data in \`./data\`.

The guides are in \`docs/\`, and the service serves them at \`/docs\`. The console is at \`/console\`.
`;

/** Writes the npm package of the service into an empty folder. It needs no clone. */
export const makePackage = (folder: string): void => {
  copyFiles(folder);
  const { name, version, type, license } = JSON.parse(readText('server/package.json'));
  const lock = JSON.parse(readText('package-lock.json')).packages as Lock;
  const dependencies: Dependencies = Object.fromEntries(
    WORKSPACES.flatMap((path) => Object.entries(lock[path]?.dependencies ?? {})).filter(
      ([name]) => !name.startsWith('@portcullis/'),
    ),
  );
  for (const path of findBundled(lock, Object.keys(dependencies))) copyBundled(join(root, path), join(folder, path));
  const write = (path: string, value: unknown): void =>
    writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
  write('package.json', {
    name,
    version,
    description: 'Fraud screening for payments and logins, with explained decisions',
    license,
    type,
    bin: { portcullis: 'server/bin/portcullis.js' },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    // Node itself. npm downloads the one of this system.
    optionalDependencies: lock['']?.optionalDependencies,
  });
  // The service reads its version from here.
  write('server/package.json', { name, version, type, private: true });
  writeFileSync(join(folder, 'README.md'), README);
};

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-package-'));
  try {
    makePackage(folder);
    execFileSync('npm', ['pack', folder, '--silent'], { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
