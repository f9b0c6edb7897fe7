import type { Outcome, Statement, Unit } from './backend.ts';
import { OneAtFault, type Plan, planOf, type Rows, refusedBy, type Step } from './postgres-batch.ts';
import { type Link, stateOf, type Told } from './postgres-link.ts';
import { prepared } from './postgres-sql.ts';

/** Each number of rows is a statement of its own to prepare: so few of them do for any number. */
const ROWS_AT_ONCE = [32, 16, 8, 4, 2, 1];
const ATTEMPTS_ALONE = 4;

/** Whatever the database is set to: whoever waited for a row must see what became of it, and be refused or go on. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

const DONE: Outcome = { written: true };

const requireChanges = ({ must }: Statement, { changes }: Told<unknown>): void => {
  if (must !== undefined && changes !== must) throw new OneAtFault('what was counted already was refused by the store');
};

/** Sends statements without waiting, and remembers what to wait for before the commit. */
const makeSender = (link: Link) => {
  const sent: Promise<unknown>[] = [];
  const send = <T>(answer: Promise<T>): Promise<T> => {
    // Waited for with the rest: until then, nobody else listens.
    answer.catch(() => {});
    sent.push(answer);
    return answer;
  };
  const run = (statement: Statement): Promise<Told<unknown>> => link.run(prepared(statement.sql), statement.params);
  return {
    statement: (statement: Statement) =>
      send(
        run(statement).then((told) => {
          requireChanges(statement, told);
          return told;
        }),
      ),
    sole: ([statement]: Unit, refuse: (outcome: Outcome) => void): void => {
      const answer = run(statement as Statement).then(({ changes }) => {
        if (changes === statement?.expect) return;
        if (changes > 0) throw new OneAtFault('a unit did what it has to be undone for');
        refuse({ written: false, refused: 0 });
      });
      void send(answer);
    },
    exec: (text: string) => send(link.exec(text)),
    rows: ({ insert, rows }: Rows, telling: boolean): Promise<Told<object>>[] => {
      const answers: Promise<Told<object>>[] = [];
      for (let at = 0; at < rows.length; ) {
        const count = ROWS_AT_ONCE.find((size) => size <= rows.length - at) as number;
        const params = rows.slice(at, at + count).flatMap((row) => row.params);
        answers.push(send(link.run<object>(insert.of(count, telling), params)));
        at += count;
      }
      return answers;
    },
    /** The first that failed is why the others did. */
    all: async (): Promise<void> => {
      for (const answer of sent.splice(0)) await answer;
    },
  };
};
type Sender = ReturnType<typeof makeSender>;

/** A unit that may be refused is undone alone, without those that share its transaction. */
const runGuarded = async (sender: Sender, unit: Unit): Promise<Outcome> => {
  await sender.all();
  sender.exec('SAVEPOINT unit');
  const answers = unit.map((statement) => sender.statement(statement));
  for (const [at, answer] of answers.entries()) {
    const { changes } = await answer;
    const { expect } = unit[at] as Statement;
    if (expect === undefined || changes === expect) continue;
    // What came after it may have failed, and is undone with it.
    await sender.all().catch(() => {});
    sender.exec('ROLLBACK TO unit');
    return { written: false, refused: at };
  }
  sender.exec('RELEASE unit');
  return DONE;
};

const runGuards = async (sender: Sender, { guards, guardAt }: Plan, outcomes: Outcome[]): Promise<void> => {
  for (const guard of guards) {
    const told = (await Promise.all(sender.rows(guard, true))).flatMap(({ rows }) => rows);
    for (const unit of refusedBy(guard, told))
      outcomes[unit] = { written: false, refused: guardAt.get(unit) as number };
  }
};

const runStep = async (sender: Sender, step: Step, units: readonly Unit[], outcomes: Outcome[]): Promise<void> => {
  const isWanted = (unit: number): boolean => outcomes[unit]?.written === true;
  if ('guarded' in step) outcomes[step.guarded] = await runGuarded(sender, units[step.guarded] as Unit);
  else if ('sole' in step) sender.sole(units[step.sole] as Unit, (outcome) => (outcomes[step.sole] = outcome));
  else if ('rows' in step) sender.rows({ ...step, rows: step.rows.filter(({ unit }) => isWanted(unit)) }, false);
  else if (isWanted(step.unit)) sender.statement(step.statement);
};

const runPlan = async (link: Link, plan: Plan, units: readonly Unit[]): Promise<Outcome[]> => {
  const outcomes: Outcome[] = units.map(() => DONE);
  const sender = makeSender(link);
  try {
    sender.exec(BEGIN);
    await runGuards(sender, plan, outcomes);
    for (const step of plan.steps) await runStep(sender, step, units, outcomes);
    // Only then is it known that nothing was refused that must not be, or did what has to be undone.
    const isOpen =
      plan.steps.some((step) => 'sole' in step) || units.some((unit) => unit.some(({ must }) => must !== undefined));
    if (isOpen) await sender.all();
    const commit = sender.exec('COMMIT');
    await sender.all();
    if ((await commit).command !== 'COMMIT') throw new OneAtFault('the store rolled the batch back');
    return outcomes;
  } catch (error) {
    // Without an answer it is not known what became of it, and the connection is lost with it.
    await sender.all().catch(() => {});
    await link.exec('ROLLBACK');
    throw error;
  }
};

/** Units one of which is at fault may do without it. Not so when the store is: then the others would only wait, too. */
const isOneAtFault = (error: unknown): boolean =>
  error instanceof OneAtFault || /^(?:22|23|40|42)/.test(stateOf(error) ?? '');

/** Two who write at the same time may stand in each other's way: a moment later the same may do. */
const mayPass = (error: unknown): boolean => /^(?:23505|40001|40P01)$/.test(stateOf(error) ?? '');

const runAlone = async (link: Link, unit: Unit): Promise<Outcome | Error> => {
  const guarded = unit.some(({ expect }) => expect !== undefined);
  const steps: Step[] = guarded ? [{ guarded: 0 }] : unit.map((statement) => ({ statement, unit: 0 }));
  for (let attempt = 1; ; attempt++) {
    try {
      return (await runPlan(link, { guards: [], guardAt: new Map(), steps }, [unit]))[0] as Outcome;
    } catch (error) {
      if (!isOneAtFault(error)) throw error;
      if (attempt === ATTEMPTS_ALONE || !mayPass(error)) return error as Error;
    }
  }
};

/**
 * Commits units in one transaction, and tells of each what became of it. Where one of them is at fault they are written one by one, and it alone
 * fails. Throws when the store is at fault: then none is written, or, if the connection was lost, perhaps all.
 */
export const runBatch = async (link: Link, units: readonly Unit[]): Promise<(Outcome | Error)[]> => {
  try {
    return await runPlan(link, planOf(units), units);
  } catch (error) {
    if (!isOneAtFault(error)) throw error;
  }
  const outcomes: (Outcome | Error)[] = [];
  let fault: Error | undefined;
  for (const unit of units) {
    try {
      outcomes.push(fault ?? (await runAlone(link, unit)));
    } catch (error) {
      // Those before it are written, and are told so.
      fault = error as Error;
      outcomes.push(fault);
    }
  }
  return outcomes;
};
