import type { IdentitiesOf } from '@portcullis/engine';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { Counters } from '../backend/counters.ts';
import type { RestoreSubject } from '../backend/journal.ts';
import type { Changes, Note } from '../changes/changes.ts';
import type { Lists } from '../lists/lists.ts';
import type { Models } from '../models/models.ts';
import type { IdentifierTags } from '../runtime/identifier-tags.ts';
import type { PersonSearch } from '../search/person.ts';
import type { Projector } from '../search/projector-thread-host.ts';
import type { Seal } from '../secrets/seal.ts';

/** The parts of the service that an erasure reaches. */
export interface ErasureDeps {
  readonly backend: Backend;
  readonly counters: Pick<Counters, 'forget'>;
  readonly personItems: PersonSearch;
  readonly projector: Pick<Projector, 'erase'>;
  readonly lists: Pick<Lists, 'erase'>;
  readonly changes: Pick<Changes, 'erase'>;
  readonly audit: Pick<Audit, 'write'>;
  readonly seal: Seal;
  readonly identities: IdentitiesOf;
  readonly restore: RestoreSubject;
  readonly tags: IdentifierTags;
  readonly models: Pick<Models, 'reload'>;
  readonly note: Note;
  readonly accountOf: (tenant: number) => Promise<string>;
  readonly tenantsOf: (account: string) => Promise<readonly number[]>;
  readonly isCommittedInOrder: boolean;
  readonly dropFormerContent: () => Promise<boolean>;
  readonly clock: () => number;
}
