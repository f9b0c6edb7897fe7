#!/usr/bin/env node
// npm may start this file with any Node.
const NEEDED = 26;

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  await import('./runtime.js');
  await import('../src/cli.ts');
} else {
  const { runWithOwnNode } = await import('./own-node.js');
  runWithOwnNode(NEEDED);
}
