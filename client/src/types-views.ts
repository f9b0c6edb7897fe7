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

/** Omitted fields keep their value. */
export interface ViewChange {
  /** A name for people. */
  name?: string | undefined;
  /** The query of the page, such as the filters in its URL. The service does not read it. */
  query?: string | undefined;
  /** The columns of a table, in order. */
  columns?: string[] | undefined;
  /** Whether others of the account see the view in this environment. Sharing needs the permission `review`. */
  shared?: boolean | undefined;
}

/** Your own views and those that others share, in the order they were saved. */
export interface ViewList {
  views: View[];
}

export interface ViewQuery {
  /** Only views of this page. Default: all. */
  page?: string | undefined;
}

export interface ViewRequest {
  /** The page of your tool that the view belongs to. */
  page: string;
  /** A name for people. */
  name: string;
  /** The query of the page, such as the filters in its URL. The service does not read it. */
  query?: string | undefined;
  /** The columns of a table, in order. */
  columns?: string[] | undefined;
  /** Whether others of the account see the view in this environment. Sharing needs the permission `review`. */
  shared?: boolean | undefined;
}
