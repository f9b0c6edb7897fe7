import type { ModelFile } from '@portcullis/contract';
import { METADATA, modelVersionOf } from '@portcullis/engine';
import { type Backend, NO_TENANT } from '../backend/backend.ts';
import { modelsOf, replaceFile } from './store.ts';

/** A value of a metadata field. */
export interface MetadataValue {
  readonly field: string;
  readonly value: string;
}
const nameOf = ({ field, value }: MetadataValue): string => JSON.stringify([field, value]);

/** The values of metadata fields that the models of an account know. */
export const metadataValuesOf = async (
  backend: Backend,
  account: string,
): Promise<(value: MetadataValue) => boolean> => {
  const known = new Set<string>();
  for (const { file } of await modelsOf(backend, NO_TENANT, account))
    for (const { member, values } of (JSON.parse(file) as ModelFile).categories)
      if (member.startsWith(METADATA))
        for (const value of Object.keys(values)) known.add(nameOf({ field: member.slice(METADATA.length), value }));
  return (value) => known.has(nameOf(value));
};

/** Nobody can send it: a NUL is refused. Its number stays, since the trees refer to it. */
const STAND_IN = '\0erased';

const withoutValues = (file: ModelFile, isErased: (value: MetadataValue) => boolean): ModelFile => {
  const { model_version, erased: _, ...content } = file;
  const categories = content.categories.map(({ member, values }) => ({
    member,
    values: Object.fromEntries(
      Object.entries(values).map(([value, number], index) => {
        const isPersonal = member.startsWith(METADATA) && isErased({ field: member.slice(METADATA.length), value });
        return [isPersonal ? `${STAND_IN} ${index}` : value, number];
      }),
    ),
  }));
  const changed = { ...content, categories };
  return { ...changed, model_version, erased: modelVersionOf(changed) };
};

/** Takes values out of all models of an account. Returns whether any model had one. */
export const eraseMetadataValues = async (
  backend: Backend,
  account: string,
  values: readonly MetadataValue[],
): Promise<boolean> => {
  const erased = new Set(values.map(nameOf));
  let isChanged = false;
  for (const { model_version, file } of await modelsOf(backend, NO_TENANT, account)) {
    const before = JSON.parse(file) as ModelFile;
    const after = withoutValues(before, (value) => erased.has(nameOf(value)));
    if (JSON.stringify(after.categories) === JSON.stringify(before.categories)) continue;
    await backend.write([replaceFile(account, model_version, JSON.stringify(after))]);
    isChanged = true;
  }
  return isChanged;
};
