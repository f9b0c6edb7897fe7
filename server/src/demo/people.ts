import type { SimulatedItem } from '../simulate/output.ts';
import { makeDraw } from '../simulate/random.ts';
import type { Agenda } from './agenda.ts';
import type { Api } from './api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ANALYSTS = ['mara.lind', 'lena.okafor', 'jonas.weber'];
/** Analysts are wrong now and then. */
const WRONG_SHARE = 0.03;
/** Customers find fraud that was allowed on their statements, or when they sign in again. */
const CHARGEBACK_DAYS = [5, 20] as const;
const REPORT_DAYS = [1, 4] as const;
const NOTES = { fraud: 'The customer did not make this.', legitimate: 'Confirmed by the customer.' };

/** The answer to a screening, as far as the people of the shop use it. */
export interface Screened {
  readonly transaction_id?: string;
  readonly event_id?: string;
  readonly case_id: string | null;
  readonly decision: string;
}

/** The analysts and customers of the shop: how they react to a screened item, from a few minutes to weeks later. */
export const makePeople = (api: Api, agenda: Agenda, seed: number) => {
  const draw = makeDraw(seed);
  const resolve = (caseId: string, { label, label_reason }: SimulatedItem): Promise<unknown> => {
    const isRight = !draw.chance(WRONG_SHARE);
    const isRejected = (label === 'fraud') === isRight;
    return api.put(`/v1/cases/${caseId}`, {
      status: isRejected ? 'rejected' : 'approved',
      analyst_id: draw.pick(ANALYSTS),
      ...(draw.chance(0.3) ? { notes: isRejected ? NOTES.fraud : NOTES.legitimate } : {}),
      ...(isRejected && label_reason !== undefined ? { reason: label_reason } : {}),
    });
  };
  return {
    /** `until` is the time from which on cases are left open for the visitor. */
    react: (item: SimulatedItem, at: number, screened: Screened, until: number): void => {
      const { transaction_id, event_id, case_id } = screened;
      if (case_id !== null) {
        if (at < until) agenda.add(at + draw.logBetween(4 * MINUTE_MS, 9 * HOUR_MS), () => resolve(case_id, item));
        return;
      }
      if (item.label !== 'fraud' || screened.decision !== 'allow') return;
      const isPayment = transaction_id !== undefined;
      const [soonest, latest] = isPayment ? CHARGEBACK_DAYS : REPORT_DAYS;
      const label = {
        ...(isPayment ? { transaction_id } : { event_id }),
        label: 'fraud',
        source: isPayment ? 'chargeback' : 'report',
      };
      agenda.add(at + draw.between(soonest, latest) * DAY_MS, () => api.post('/v1/labels', label));
    },
  };
};
export type People = ReturnType<typeof makePeople>;
