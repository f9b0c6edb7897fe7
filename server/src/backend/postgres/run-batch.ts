import type { Outcome, Statement, Unit } from '../backend.ts';
import { type PostgresConnection, type QueryResult, type Session, sqlStateOf } from './connection.ts';
import { type Plan, planOf, type Rows, refusedBy, type Step, UnitError } from './plan-batch.ts';
import { prepared } from './sql.ts';

/** The connection was lost in a transaction. Its COMMIT may have reached the server. */
export class LostTransaction extends Error {
  readonly session: Session | undefined;
  constructor(session: Session | undefined, cause: unknown) {
    super('the connection is lost', { cause });
    this.session = session;
  }
}

/** Numbers of rows in one INSERT. Each is a statement to prepare, and these few add up to any number. */
const ROWS_AT_ONCE = [32, 16, 8, 4, 2, 1];
const ATTEMPTS_ALONE = 4;

/**
 * Overrides the default of the database: a unit that waited for a row must see whether that row was committed.
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

const DONE: Outcome = { written: true };

const requireChanges = ({ must }: Statement, { changes }: QueryResult<unknown>): void => {
  if (must !== undefined && changes !== must)
    throw new UnitError('the store refused a screening that is counted already');
};

/** Sends statements without waiting, and collects the answers to wait for before the commit. */
const makeSender = (connection: PostgresConnection) => {
  const sent: Promise<unknown>[] = [];
  const send = <T>(answer: Promise<T>): Promise<T> => {
    // `all` waits for it. Until then a rejection would be unhandled.
    answer.catch(() => {});
    sent.push(answer);
    return answer;
  };
  const run = (statement: Statement): Promise<QueryResult<unknown>> =>
    connection.run(prepared(statement.sql), statement.params);
  return {
    statement: (statement: Statement) =>
      send(
        run(statement).then((result) => {
          requireChanges(statement, result);
          return result;
        }),
      ),
    sole: ([statement]: Unit, refuse: (outcome: Outcome) => void): void => {
      const answer = run(statement as Statement).then(({ changes }) => {
        if (changes === statement?.expect) return;
        if (changes > 0) throw new UnitError('a refused unit changed rows, and must be undone');
        refuse({ written: false, refused: 0 });
      });
      void send(answer);
    },
    exec: (text: string) => send(connection.exec(text)),
    rows: ({ insert, rows }: Rows, isReturning: boolean): Promise<QueryResult<object>>[] => {
      const answers: Promise<QueryResult<object>>[] = [];
      for (let at = 0; at < rows.length; ) {
        const count = ROWS_AT_ONCE.find((size) => size <= rows.length - at) as number;
        const params = rows.slice(at, at + count).flatMap((row) => row.params);
        answers.push(send(connection.run<object>(insert.of(count, isReturning), params)));
        at += count;
      }
      return answers;
    },
    /** Waits for all answers. Rejects with the first error, which caused the others. */
    all: async (): Promise<void> => {
      for (const answer of sent.splice(0)) await answer;
    },
  };
};
type Sender = ReturnType<typeof makeSender>;

/**
 * Runs a unit that may be refused behind a savepoint, so that it is undone without the other units of the
 * transaction.
 */
const runGuarded = async (sender: Sender, unit: Unit): Promise<Outcome> => {
  await sender.all();
  sender.exec('SAVEPOINT unit');
  const answers = unit.map((statement) => sender.statement(statement));
  for (const [at, answer] of answers.entries()) {
    const { changes } = await answer;
    const { expect } = unit[at] as Statement;
    if (expect === undefined || changes === expect) continue;
    // Later statements of the unit may have failed. They are undone with it.
    await sender.all().catch(() => {});
    sender.exec('ROLLBACK TO unit');
    return { written: false, refused: at };
  }
  sender.exec('RELEASE unit');
  return DONE;
};

const runGuards = async (sender: Sender, { guards, guardAt }: Plan, outcomes: Outcome[]): Promise<void> => {
  for (const guard of guards) {
    const returned = (await Promise.all(sender.rows(guard, true))).flatMap(({ rows }) => rows);
    for (const unit of refusedBy(guard, returned))
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

const runPlan = async (connection: PostgresConnection, plan: Plan, units: readonly Unit[]): Promise<Outcome[]> => {
  const outcomes: Outcome[] = units.map(() => DONE);
  const sender = makeSender(connection);
  try {
    sender.exec(BEGIN);
    await runGuards(sender, plan, outcomes);
    for (const step of plan.steps) await runStep(sender, step, units, outcomes);
    // The answers to these statements decide whether the batch may be committed.
    const mustWait =
      plan.steps.some((step) => 'sole' in step) || units.some((unit) => unit.some(({ must }) => must !== undefined));
    if (mustWait) await sender.all();
    const commit = sender.exec('COMMIT');
    await sender.all();
    if ((await commit).command !== 'COMMIT') throw new UnitError('the store rolled the batch back');
    return outcomes;
  } catch (error) {
    await sender.all().catch(() => {});
    // A COMMIT without an answer may or may not have happened. Then the connection is lost, and ROLLBACK rejects too.
    await connection.exec('ROLLBACK').catch(() => {
      throw new LostTransaction(connection.session, error);
    });
    throw error;
  }
};

/**
 * Whether one unit caused the error, so that the others can be written without it. An error of the store would hit
 * them too.
 */
const isUnitError = (error: unknown): boolean =>
  error instanceof UnitError || /^(?:22|23|40|42)/.test(sqlStateOf(error) ?? '');

/** Whether a concurrent write caused the error, so that a retry may succeed. */
const isTransient = (error: unknown): boolean => /^(?:23505|40001|40P01)$/.test(sqlStateOf(error) ?? '');

const runAlone = async (connection: PostgresConnection, unit: Unit): Promise<Outcome | Error> => {
  const guarded = unit.some(({ expect }) => expect !== undefined);
  const steps: Step[] = guarded ? [{ guarded: 0 }] : unit.map((statement) => ({ statement, unit: 0 }));
  for (let attempt = 1; ; attempt++) {
    try {
      return (await runPlan(connection, { guards: [], guardAt: new Map(), steps }, [unit]))[0] as Outcome;
    } catch (error) {
      if (!isUnitError(error)) throw error;
      if (attempt === ATTEMPTS_ALONE || !isTransient(error)) return error as Error;
    }
  }
};

/**
 * Commits units in one transaction, and returns the outcome of each. Where one of them fails they are written one by
 * one, so that only it fails. Throws on an error of the store: then no unit is written, or, after a
 * `LostTransaction`, perhaps all.
 */
export const runBatch = async (
  connection: PostgresConnection,
  units: readonly Unit[],
): Promise<(Outcome | Error)[]> => {
  try {
    return await runPlan(connection, planOf(units), units);
  } catch (error) {
    if (!isUnitError(error)) throw error;
  }
  const outcomes: (Outcome | Error)[] = [];
  let storeError: Error | undefined;
  for (const unit of units) {
    try {
      outcomes.push(storeError ?? (await runAlone(connection, unit)));
    } catch (error) {
      // The units before it are written, and their outcomes are returned. Those after it are not tried.
      storeError = new Error('the store failed before this unit', { cause: error });
      outcomes.push(error as Error);
    }
  }
  return outcomes;
};
