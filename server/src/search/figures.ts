/** SQL expressions: the figures of the items `i`. */
export const FIGURES = `COUNT(*) AS items, COALESCE(SUM(i.usd), 0) AS usd,
  COALESCE(CAST(SUM(CASE WHEN i.decision = 'review' THEN 1 ELSE 0 END) AS BIGINT), 0) AS review,
  COALESCE(CAST(SUM(CASE WHEN i.decision = 'block' THEN 1 ELSE 0 END) AS BIGINT), 0) AS block,
  COALESCE(CAST(SUM(CASE WHEN i.label = 'fraud' THEN 1 ELSE 0 END) AS BIGINT), 0) AS fraud`;

/** The sum in cents, without the rounding errors in its last digits, which depend on the order of adding. */
export const roundSum = (dollars: number): number => Number((Math.round(dollars * 100) / 100).toPrecision(14));

export interface Figures {
  readonly items: number;
  readonly usd: number;
  readonly review: number;
  readonly block: number;
  readonly fraud: number;
}
