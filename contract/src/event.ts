import Type from 'typebox';
import { EVENT_TYPES, OUTCOMES } from './constants.ts';
import { id } from './ids.ts';
import { imported, knowledge, SUBJECT_DESCRIPTION, sentFields } from './screened-subject.ts';
import { deviceToken, email, ipAddress, Metadata, userId } from './subject.ts';
import { nullable, timestamp } from './text.ts';
import { DecisionValue, RiskScore, Signals, Warnings } from './verdict.ts';

export const EventRequest = Type.Object(
  {
    user_id: userId,
    type: Type.Enum(EVENT_TYPES, { description: 'The action of the user.', examples: ['login'] }),
    outcome: Type.Optional(Type.Enum(OUTCOMES, { default: 'succeeded', examples: ['succeeded'] })),
    ip_address: Type.Optional(ipAddress),
    device_token: Type.Optional(deviceToken),
    email: Type.Optional(email),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'EventRequest', description: 'A user action other than a payment, to screen.' },
);
export type EventRequest = Type.Static<typeof EventRequest>;

export const EventSubject = Type.Object(
  {
    user_id: Type.String({ examples: ['user_1842'] }),
    type: Type.Enum(EVENT_TYPES, { examples: ['login'] }),
    outcome: Type.Enum(OUTCOMES, { examples: ['succeeded'] }),
    ...sentFields,
  },
  { $id: 'EventSubject', description: SUBJECT_DESCRIPTION },
);
export type EventSubject = Type.Static<typeof EventSubject>;

export const Event = Type.Object(
  {
    event_id: id('event', 'Identifies this result, for 90 days.'),
    user_id: Type.String({ examples: ['user_1842'] }),
    type: Type.Enum(EVENT_TYPES, { examples: ['login'] }),
    outcome: Type.Enum(OUTCOMES, { examples: ['succeeded'] }),
    risk_score: RiskScore,
    decision: DecisionValue,
    signals: Signals,
    screened_at: timestamp('When the event was screened; of an imported one, when it happened.'),
    decision_id: id('decision', 'The decision, with its factors and reviews.'),
    case_id: nullable(id('case', 'The review case.'), { description: '`null` unless the decision is `review`.' }),
    imported,
    subject: Type.Optional(EventSubject),
    knowledge,
    warnings: Type.Optional(Warnings),
  },
  { $id: 'Event', description: 'Result of screening an event. It never changes.' },
);
export type Event = Type.Static<typeof Event>;
