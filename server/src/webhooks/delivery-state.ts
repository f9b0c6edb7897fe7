import type { DeliveryStatus } from '@portcullis/contract';
import { type Audit, makeAudit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import { makeNote, type Note } from '../changes/changes.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Concurrency } from './concurrency.ts';
import type { PendingDelivery } from './delivery-store.ts';
import type { Sender } from './send.ts';
import type { SigningKey } from './sign.ts';
import type { WebhookRow } from './store.ts';

/** An enabled endpoint, as the delivery worker sees it. */
export interface Endpoint {
  row: WebhookRow;
  key: SigningKey;
  previousKey: SigningKey | undefined;
  readonly concurrency: Concurrency;
  /** Leased deliveries that have not started. */
  readonly leased: PendingDelivery[];
  inFlight: number;
  /** Deliveries in flight, and those whose outcome is not yet stored. */
  unstored: number;
  isLeasing: boolean;
  /** When a delivery may be due. A wake-up during a lease lowers it. */
  dueAt: number;
  /** The health that was logged last, and when. */
  reportedHealth: 'failing' | 'recovered';
  reportedAt: number;
}

export interface DeliveryReport {
  readonly outcome: (status: DeliveryStatus) => void;
  readonly failing: (webhookId: string, error: string) => void;
  readonly recovered: (webhookId: string) => void;
  readonly disabled: (webhookId: string) => void;
  /** The store could not be read or written; the worker retries after a moment. */
  readonly error: (error: unknown) => void;
}

export interface DeliveryDependencies {
  readonly backend: Backend;
  readonly seal: Seal;
  readonly sender: Sender;
  readonly clock: () => number;
  /** While the clock is in doubt, no endpoint is disabled. */
  readonly isClockCertain?: () => boolean;
  readonly report: DeliveryReport;
  readonly random?: () => number;
}

export interface DeliveryState extends Required<DeliveryDependencies> {
  readonly audit: Pick<Audit, 'write'>;
  readonly note: Note;
  readonly endpoints: Map<string, Endpoint>;
  inFlight: number;
  slowInFlight: number;
  /** Exchanges whose outcome is not stored yet, plus leases in progress. */
  unsettled: number;
  isStopped: boolean;
  /** The grace period of `stop` is over: exchanges still in flight are released, not counted as failed. */
  isGraceOver: boolean;
  pollAt: number;
  refreshAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Called when `unsettled` becomes 0. */
  onIdle: (() => void) | undefined;
}

export const makeDeliveryState = (dependencies: DeliveryDependencies): DeliveryState => ({
  random: Math.random,
  isClockCertain: () => true,
  ...dependencies,
  audit: makeAudit(dependencies),
  // A process ignores its own notes. This author is not a process, so that every process reloads its endpoints.
  note: makeNote('deliveries', dependencies.clock),
  endpoints: new Map(),
  inFlight: 0,
  slowInFlight: 0,
  unsettled: 0,
  isStopped: false,
  isGraceOver: false,
  pollAt: 0,
  refreshAt: 0,
  timer: undefined,
  onIdle: undefined,
});
