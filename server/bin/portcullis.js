#!/usr/bin/env node
import './runtime.js';

await import('../src/cli.ts');
