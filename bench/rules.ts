import { readFileSync } from 'node:fs';
import type { ModelFile } from '@portcullis/contract';
import {
  type AccountRule,
  DEFAULT_POLICY,
  decide,
  type Facts,
  makeModel,
  type Policy,
  type Subject,
} from '@portcullis/engine';
import { openKnowledge } from '../server/src/knowledge/knowledge.ts';
import { BASE_MODEL } from '../server/src/models/model-file.ts';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { makeItemReader } from '../server/src/offline/item-reader.ts';
import { compile } from '../server/src/rules/compile.ts';
import { makeCompiledRules } from '../server/src/rules/compiled-rules.ts';
import { simulate } from '../server/src/simulate/simulate.ts';

/** Cost of an account's rules per decision, without HTTP and store. */
export interface RuleCost {
  readonly rules: number;
  /** Wall-clock time of single decisions. It includes noise from other processes, mostly in the 99th percentile. */
  readonly p50Us: number;
  readonly p99Us: number;
  /** Mean CPU time. The CPU clock may advance in steps of milliseconds, too coarse for a single decision. */
  readonly meanCpuUs: number;
  /** Share of screenings that match at least one rule. */
  readonly matched: number;
}

const RULES = 100;
const WORLD = { seed: 7, users: 1500, days: 60, start: Date.UTC(2026, 0, 1), world: 'bank' as const };
const WARM_UP = 20_000;
const BLOCK_SIZE = 200;
const MEASURED = 80_000;

/** Typical expressions of fraud teams; `n` varies their numbers. */
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

/** Compiled rules as screenings evaluate them, with their guard against errors. */
const accountRules = (count: number): AccountRule[] => {
  const compiledRules = makeCompiledRules(() => {});
  return Array.from({ length: count }, (_, i) => {
    const expression = (EXPRESSIONS[i % EXPRESSIONS.length] as (n: number) => string)(i);
    const compiled = compile(expression);
    if ('error' in compiled) throw new Error(`${expression}: ${compiled.error.message}`);
    return compiledRules.of({
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
    }).rule;
  });
};

/** CPU time of this thread. */
const cpuUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
const wallUs = (): number => Number(process.hrtime.bigint()) / 1000;

export const measureRules = (count = RULES): RuleCost => {
  const model = makeModel(JSON.parse(readFileSync(BASE_MODEL, 'utf8')) as ModelFile);
  const without: Policy = { ...DEFAULT_POLICY, model };
  const withRules: Policy = { ...without, rules: accountRules(count) };
  const noFiles = { ipDatabase: undefined, torExitList: undefined, proxyList: undefined };
  const read = makeItemReader({ warn: () => undefined, knowledge: openKnowledge(noFiles, () => undefined) });
  const walk = makeWalk(Number.POSITIVE_INFINITY);
  const added: number[] = [];
  let block: { readonly subject: Subject; readonly facts: Facts }[] = [];
  let line = 0;
  let matched = 0;
  let cpu = 0;

  /** Wall-clock time of each decision of the block, and CPU time of the whole block. */
  const decideAll = (policy: Policy): { readonly times: number[]; readonly cpu: number; readonly hits: number } => {
    const times: number[] = [];
    let hits = 0;
    const startCpuUs = cpuUs();
    for (const { subject, facts } of block) {
      const startUs = wallUs();
      if (decide(policy, subject, facts).rules.length > 0) hits++;
      times.push(wallUs() - startUs);
    }
    return { times, cpu: cpuUs() - startCpuUs, hits };
  };
  const measureBlock = (isRulesFirst: boolean): void => {
    const first = isRulesFirst ? decideAll(withRules) : undefined;
    const plain = decideAll(without);
    const ruled = first ?? decideAll(withRules);
    if (line <= WARM_UP) return;
    ruled.times.forEach((time, i) => {
      added.push(time - (plain.times[i] as number));
    });
    cpu += ruled.cpu - plain.cpu;
    matched += ruled.hits;
  };
  for (const fields of simulate(WORLD)) {
    const item = read({ line: ++line, fields: { ...fields } });
    block.push({ subject: item.subject, facts: walk.factsOf(item).slice() });
    walk.next(item);
    if (block.length < BLOCK_SIZE) continue;
    // The order alternates, so that neither always benefits from the caches the other warmed.
    measureBlock((line / BLOCK_SIZE) % 2 === 0);
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
