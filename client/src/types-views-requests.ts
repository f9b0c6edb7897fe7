// Generated from the contract by `npm run client`. Do not edit.

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
