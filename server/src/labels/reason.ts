import type { BodyCheck } from '../validation/body.ts';

/** Refuses the reason of a legitimate outcome, which the schema cannot express. `field` holds the outcome. */
export const refuseReasonOf =
  (field: string, legitimate: string): BodyCheck =>
  (body) =>
    body.reason === undefined || body[field] !== legitimate
      ? []
      : [{ field: 'reason', message: `must not be given with the ${field} ${legitimate}: only fraud has a reason` }];
