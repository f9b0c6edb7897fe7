// Generated from the contract by `npm run client`. Do not edit.

export interface ImportResult {
  /** Transactions and events that were added. */
  imported: number;
  /** Labels that were added. */
  labelled: number;
  /** Items that were imported before, and labels of items that have a label. They change nothing. */
  repeated: number;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}
