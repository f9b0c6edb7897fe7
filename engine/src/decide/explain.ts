import type { Factor } from '@portcullis/contract';
import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import { reasonsOf } from './reasons.ts';
import type { Verdict } from './verdict.ts';

/**
 * Describes the factors of a verdict in sentences, with their numbers. Called when a decision is read, because most
 * decisions are never read. Without facts, or with facts of an unreadable version, each factor gets its meaning only.
 */
export const explain = (verdict: Verdict, subject: Subject, facts: Facts | undefined): Factor[] =>
  reasonsOf(verdict, subject, facts).map(({ of, name, theme, text, contribution }) => ({
    ...(of === 'signal' ? { signal: name } : { feature: name }),
    theme,
    description: text(),
    contribution,
  }));
