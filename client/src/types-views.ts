// Generated from the contract by `npm run client`. Do not edit.

/** A saved view of a page. */
export interface View {
  /** The view. */
  view_id: string;
  page: string;
  name: string;
  query: string;
  columns: string[];
  shared: boolean;
  /** Whose view it is: the e-mail address of a person, or an API key. */
  owner: string;
  /** Whether it is your own. */
  mine: boolean;
  /** When the view was saved. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}

/** Your own views and those that others share, in the order they were saved. */
export interface ViewList {
  views: View[];
}
