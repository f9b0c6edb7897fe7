import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const TRAINING_CODE = fileURLToPath(new URL('../server/src/offline/base-model.ts', import.meta.url));
const TABLES = new URL('../server/src/knowledge/tables/', import.meta.url);

/**
 * Hash of the inputs of the shipped model: its training code with all imports, and the lookup tables. The code is bundled
 * and minified first, so that comments, formatting and unrelated files do not matter. Modules of which nothing is used are
 * left out: a new operation of the API is no new input.
 */
export const baseModelInputs = async (): Promise<string> => {
  const build = await rolldown({ input: TRAINING_CODE, platform: 'node', treeshake: { moduleSideEffects: false } });
  const { output } = await build.generate({ format: 'es', minify: true, codeSplitting: false });
  await build.close();
  const hash = createHash('sha256').update(output[0].code);
  for (const name of readdirSync(TABLES).sort()) hash.update(name).update(readFileSync(new URL(name, TABLES)));
  return hash.digest('hex');
};
