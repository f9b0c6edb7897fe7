import { readFileSync } from 'node:fs';
import type { ModelFile } from '@portcullis/contract';
import {
  DEFAULT_POLICY,
  decide,
  type Facts,
  makeModel,
  type OwnRule,
  type Policy,
  type Subject,
} from '@portcullis/engine';
import { makeItemReader } from '../server/src/backtest/items.ts';
import { makeWalk } from '../server/src/backtest/walk.ts';
import { openKnowledge } from '../server/src/knowledge/knowledge.ts';
import { BASE_MODEL } from '../server/src/models/load.ts';
import { makeAsked } from '../server/src/rules/asked.ts';
import { compile } from '../server/src/rules/rules.ts';
import { simulate } from '../server/src/simulate/simulate.ts';

/** What an account's own rules add to a decision: no HTTP, no store. */
export interface RuleCost {
  readonly rules: number;
  /** By the clock on the wall, of single decisions: what else runs on the machine is in it, above all in the second. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** In processor time, over all decisions: that clock may go in steps of milliseconds, so it says nothing of a single one. */
  readonly meanCpuUs: number;
  /** Share of screenings that at least one of them matched. */
  readonly matched: number;
}

const RULES = 100;
const WORLD = { seed: 7, users: 1500, days: 60, start: Date.UTC(2026, 0, 1), world: 'bank' as const };
const WARM_UP = 20_000;
const BLOCK = 200;
const MEASURED = 80_000;

/** As fraud teams write them; each with numbers of its own. */
const EXPRESSIONS: readonly ((n: number) => string)[] = [
  (n) => `amount_usd > ${900 + 50 * n} && "new_device" in signals`,
  (n) => `features["user.transactions.1h"] >= ${5 + n} && amount_usd > 20`,
  (n) => `type == "transaction" && hour < 5 && amount > ${300 + n} && payment_method == "card"`,
  () => 'has(ip_country) && has(billing_address.country) && ip_country != billing_address.country && amount_usd > 250',
  (n) => `event_type == "login" && outcome == "failed" && features["ip.failed_logins.10m"] > ${10 + n}`,
  () => 'currency in ["EUR", "USD", "GBP"] && shipping_address.country in ["NG", "RU", "VN", "PK"]',
  (n) => `email_domain.endsWith(".example${n}") && features["user.age_ms"] < 86400000`,
  () => '(ip_vpn || ip_proxy || ip_tor) && amount_usd > 500 && !("vip_users" in lists)',
  (n) => `metadata.channel == "app${n}" && metadata.category == "gift_card" && weekday in [0, 6]`,
  (n) => `score > ${60 + n} && model_score < 20 && signals.exists(s, s.startsWith("fraud_on_"))`,
  (n) => `features["amount_over_user.amount_mean.30d"] > ${3 + n}`,
  (n) => `known(features["user.idle_ms"]) && features["user.idle_ms"] > ${n + 30} * 86400000 && amount % 100 == 0`,
];

/** As screenings ask them, with what keeps a failure from them. */
const ownRules = (count: number): OwnRule[] => {
  const asked = makeAsked(() => {});
  return Array.from({ length: count }, (_, i) => {
    const expression = (EXPRESSIONS[i % EXPRESSIONS.length] as (n: number) => string)(i);
    const compiled = compile(expression);
    if ('fault' in compiled) throw new Error(`${expression}: ${compiled.fault.message}`);
    return asked.of({
      id: `rule_${i}`,
      tenant: 1,
      name: `rule_${i}`,
      description: '',
      expression,
      action: '{"points":1}',
      subject_types: '["transaction","event"]',
      state: 'live',
      expires_at: null,
      version: 1,
      created_at: 0,
      updated_at: 0,
    }).own;
  });
};

/** Of this thread alone. */
const cpuUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
const wallUs = (): number => Number(process.hrtime.bigint()) / 1000;

export const measureRules = (count = RULES): RuleCost => {
  const model = makeModel(JSON.parse(readFileSync(BASE_MODEL, 'utf8')) as ModelFile);
  const without: Policy = { ...DEFAULT_POLICY, model };
  const withRules: Policy = { ...without, rules: ownRules(count) };
  const none = { ipDatabase: undefined, torExitList: undefined, proxyList: undefined };
  const read = makeItemReader({ warn: () => undefined, knowledge: openKnowledge(none, () => undefined) });
  const walk = makeWalk(Number.POSITIVE_INFINITY);
  const added: number[] = [];
  let block: { readonly subject: Subject; readonly facts: Facts }[] = [];
  let line = 0;
  let matched = 0;
  let cpu = 0;

  /** The wall time of each decision of the block, and the processor time of all. */
  const decideAll = (policy: Policy): { readonly times: number[]; readonly cpu: number; readonly hits: number } => {
    const times: number[] = [];
    let hits = 0;
    const began = cpuUs();
    for (const { subject, facts } of block) {
      const from = wallUs();
      if (decide(policy, subject, facts).rules.length > 0) hits++;
      times.push(wallUs() - from);
    }
    return { times, cpu: cpuUs() - began, hits };
  };
  const measureBlock = (isWithFirst: boolean): void => {
    const early = isWithFirst ? decideAll(withRules) : undefined;
    const alone = decideAll(without);
    const together = early ?? decideAll(withRules);
    if (line <= WARM_UP) return;
    together.times.forEach((time, i) => {
      added.push(time - (alone.times[i] as number));
    });
    cpu += together.cpu - alone.cpu;
    matched += together.hits;
  };
  for (const members of simulate(WORLD)) {
    const item = read({ line: ++line, members: { ...members } });
    block.push({ subject: item.subject, facts: walk.factsOf(item).slice() });
    walk.next(item);
    if (block.length < BLOCK) continue;
    // In turns, so that neither always finds what the other just looked at.
    measureBlock((line / BLOCK) % 2 === 0);
    block = [];
    if (added.length >= MEASURED) break;
  }
  added.sort((a, b) => a - b);
  const at = (share: number): number => added[Math.floor(added.length * share)] as number;
  return {
    rules: count,
    p50Us: at(0.5),
    p99Us: at(0.99),
    meanCpuUs: cpu / added.length,
    matched: matched / added.length,
  };
};
