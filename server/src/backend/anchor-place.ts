/**
 * One text outside the database, for the anchor of the audit log: somebody who can write only to the database cannot
 * write here.
 */
export interface AnchorPlace {
  readonly name: 'file' | 'redis';
  /** Undefined if nothing was stored. Rejects while the place cannot be read. */
  readonly read: () => Promise<string | undefined>;
  /** Resolves when the text is stored. */
  readonly write: (text: string) => Promise<void>;
}
