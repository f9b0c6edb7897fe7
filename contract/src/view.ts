import Type from 'typebox';
import { withoutCardNumber } from './card-numbers/rule.ts';
import { id } from './ids.ts';
import { text, timestamp } from './text.ts';
import { Warnings } from './verdict.ts';

/** Limits of one owner, and of an account in one environment. */
export const MAX_OWN_VIEWS = 50;
export const MAX_SHARED_VIEWS = 100;
const MAX_COLUMNS = 50;

const PAGE = '^[a-z][a-z0-9_-]{0,39}$';
/** A page is refused if it holds a card number: masked, it would be another page. */
const page = (description: string) =>
  withoutCardNumber(
    Type.Refine(
      Type.String({ pattern: PAGE, description, examples: ['cases'] }),
      (value) => new RegExp(PAGE).test(value),
      () => 'must begin with a letter a to z and have up to 40 lower-case letters, digits, `_` and `-`',
    ),
  );
const name = text(1, 100, { description: 'A name for people.', examples: ['Large payments'] });
const query = text(0, 2000, {
  description: 'The query of the page, such as the filters in its URL. The service does not read it.',
  examples: ['status=open&usd_min=500&sort=amount'],
});
const columns = Type.Array(text(1, 40, { examples: ['amount'] }), {
  maxItems: MAX_COLUMNS,
  description: 'The columns of a table, in order.',
  examples: [['risk_score', 'amount', 'country']],
});
const shared = Type.Boolean({
  description: 'Whether others of the account see the view in this environment. Sharing needs the permission `review`.',
  examples: [false],
});

export const ViewRequest = Type.Object(
  {
    page: page('The page of your tool that the view belongs to.'),
    name,
    query: Type.Optional(query),
    columns: Type.Optional(columns),
    shared: Type.Optional(shared),
  },
  { $id: 'ViewRequest' },
);
export type ViewRequest = Type.Static<typeof ViewRequest>;

export const ViewChange = Type.Object(
  {
    name: Type.Optional(name),
    query: Type.Optional(query),
    columns: Type.Optional(columns),
    shared: Type.Optional(shared),
  },
  { $id: 'ViewChange', description: 'Omitted fields keep their value.' },
);
export type ViewChange = Type.Static<typeof ViewChange>;

export const View = Type.Object(
  {
    view_id: id('view', 'The view.'),
    page: Type.String({ examples: ['cases'] }),
    name: Type.String({ examples: ['Large payments'] }),
    query: Type.String({ examples: ['status=open&usd_min=500&sort=amount'] }),
    columns: Type.Array(Type.String(), { examples: [['risk_score', 'amount', 'country']] }),
    shared: Type.Boolean({ examples: [false] }),
    owner: Type.String({
      description: 'Whose view it is: the e-mail address of a person, or an API key.',
      examples: ['mara@example.com'],
    }),
    mine: Type.Boolean({ description: 'Whether it is your own.', examples: [true] }),
    created_at: timestamp('When the view was saved.'),
    updated_at: timestamp('When it was last changed.'),
    warnings: Type.Optional(Warnings),
  },
  { $id: 'View', description: 'A saved view of a page.' },
);
export type View = Type.Static<typeof View>;

export const ViewQuery = Type.Object({
  page: Type.Optional(page('Only views of this page. Default: all.')),
});
export type ViewQuery = Type.Static<typeof ViewQuery>;

export const ViewList = Type.Object(
  { views: Type.Array(View) },
  { $id: 'ViewList', description: 'Your own views and those that others share, in the order they were saved.' },
);
export type ViewList = Type.Static<typeof ViewList>;
