import { firstKeyIn } from '@portcullis/engine';
import { checksumOf } from '../checksum.ts';

/** A row of the table `shelves`: an entity group as it is on disk. */
export type GroupRow = readonly [
  id: number,
  tenant: number,
  through: number,
  bytes: Uint8Array,
  owner: number,
  checksum: number,
];
export const GROUP_COLUMNS = 's.shelf, s.tenant, s.through, s.bytes, s.owner, s.checksum';

const WORD = 8;
const isGroup = (bytes: unknown): bytes is Uint8Array =>
  bytes instanceof Uint8Array && bytes.length > 0 && bytes.length % WORD === 0 && bytes.byteOffset % WORD === 0;

/** Whether the row is as it was saved. Any value may have been damaged, so no type is trusted. */
export const isIntact = ([id, tenant, through, bytes, owner, checksum]: GroupRow): boolean =>
  isGroup(bytes) &&
  Number.isSafeInteger(tenant) &&
  Number.isSafeInteger(through) &&
  checksumOf(bytes, id, tenant, owner, through) === checksum;

/** Whether the row was saved under another id, the key of its first entity. That entity no longer finds its row. */
export const isMisplaced = ([, tenant, through, bytes, owner, checksum]: GroupRow): boolean =>
  isGroup(bytes) && isIntact([firstKeyIn(bytes), tenant, through, bytes, owner, checksum]);
