import type { Outcome, Statement, Unit } from '../backend.ts';
import { type ArrayInsert, arraysOf, provideArrayInserts } from './column-arrays.ts';
import { type PostgresConnection, type QueryResult, type Session, sqlStateOf } from './connection.ts';
import { type Plan, planOf, type Row, type Rows, refusedBy, type Step, UnitError } from './plan-batch.ts';
import { type Insert, prepared } from './sql.ts';

/** The connection was lost in a transaction. Its COMMIT may have reached the server. */
export class LostTransaction extends Error {
  readonly session: Session | undefined;
  constructor(session: Session | undefined, cause: unknown) {
    super('the connection is lost', { cause });
    this.session = session;
  }
}

/** Most rows in one INSERT. A statement has a timeout. */
const MAX_ROWS = 1000;
const ATTEMPTS_ALONE = 4;

const DONE: Outcome = { written: true };

const requireChanges = ({ must }: Statement, { changes }: QueryResult<unknown>): void => {
  if (must !== undefined && changes !== must)
    throw new UnitError('the store refused a screening that is counted already');
};

type ArrayInserts = ReadonlyMap<Insert, ArrayInsert>;

const runRows = (
  connection: PostgresConnection,
  inserts: ArrayInserts,
  insert: Insert,
  rows: readonly Row[],
  isReturning: boolean,
): Promise<QueryResult<object>> => {
  const [first] = rows as [Row];
  if (rows.length === 1) return connection.run(insert.ofRow(isReturning), first.params);
  const many = inserts.get(insert) as ArrayInsert;
  return connection.run(isReturning ? many.returning : many.plain, arraysOf(many, rows));
};

/**
 * Sends statements without waiting, and collects the answers to wait for before the commit. Statements leave together
 * when an answer is waited for.
 */
const makeSender = (connection: PostgresConnection, inserts: ArrayInserts) => {
  const sent: Promise<unknown>[] = [];
  let isHeld = false;
  const send = <T>(start: () => Promise<T>): Promise<T> => {
    if (!isHeld) connection.hold();
    isHeld = true;
    const answer = start();
    // `all` waits for it. Until then a rejection would be unhandled.
    answer.catch(() => {});
    sent.push(answer);
    return answer;
  };
  const release = (): void => {
    if (isHeld) connection.release();
    isHeld = false;
  };
  const run = (statement: Statement): Promise<QueryResult<unknown>> =>
    connection.run(prepared(statement.sql), statement.params);
  return {
    statement: (statement: Statement) =>
      send(() =>
        run(statement).then((result) => {
          requireChanges(statement, result);
          return result;
        }),
      ),
    sole: ([statement]: Unit, refuse: (outcome: Outcome) => void): void => {
      const start = () =>
        run(statement as Statement).then(({ changes }) => {
          if (changes === statement?.expect) return;
          if (changes > 0) throw new UnitError('a refused unit changed rows, and must be undone');
          refuse({ written: false, refused: 0 });
        });
      void send(start);
    },
    exec: (text: string) => send(() => connection.exec(text)),
    rows: ({ insert, rows }: Rows, isReturning: boolean): Promise<QueryResult<object>>[] => {
      const answers: Promise<QueryResult<object>>[] = [];
      for (let at = 0; at < rows.length; at += MAX_ROWS)
        answers.push(send(() => runRows(connection, inserts, insert, rows.slice(at, at + MAX_ROWS), isReturning)));
      return answers;
    },
    release,
    /** Waits for all answers. Rejects with the first error, which caused the others. */
    all: async (): Promise<void> => {
      release();
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
  sender.release();
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
    const answers = sender.rows(guard, true);
    sender.release();
    const returned = (await Promise.all(answers)).flatMap(({ rows }) => rows);
    for (const unit of refusedBy(guard, returned))
      outcomes[unit] = { written: false, refused: guardAt.get(unit) as number };
  }
};

const sendStep = (
  sender: Sender,
  step: Exclude<Step, { readonly guarded: number }>,
  units: readonly Unit[],
  outcomes: Outcome[],
): void => {
  const isWanted = (unit: number): boolean => outcomes[unit]?.written === true;
  if ('sole' in step) sender.sole(units[step.sole] as Unit, (outcome) => (outcomes[step.sole] = outcome));
  else if ('rows' in step) sender.rows({ ...step, rows: step.rows.filter(({ unit }) => isWanted(unit)) }, false);
  else if (isWanted(step.unit)) sender.statement(step.statement);
};

/** Whether a plan is one statement that no unit waits for. It is a transaction by itself. */
const isOneStatement = ({ guards, steps }: Plan): boolean => {
  const [step, ...more] = steps;
  if (step === undefined || more.length > 0 || guards.length > 0) return false;
  return 'rows' in step ? step.rows.length <= MAX_ROWS : 'statement' in step && step.statement.must === undefined;
};

const runPlan = async (
  connection: PostgresConnection,
  plan: Plan,
  units: readonly Unit[],
  inserts: ArrayInserts = new Map(),
): Promise<Outcome[]> => {
  const outcomes: Outcome[] = units.map(() => DONE);
  const sender = makeSender(connection, inserts);
  const isOne = isOneStatement(plan);
  try {
    if (isOne) {
      sendStep(sender, plan.steps[0] as Rows, units, outcomes);
      await sender.all();
      return outcomes;
    }
    sender.exec('BEGIN');
    if (plan.guards.length > 0) await runGuards(sender, plan, outcomes);
    for (const step of plan.steps)
      if ('guarded' in step) outcomes[step.guarded] = await runGuarded(sender, units[step.guarded] as Unit);
      else sendStep(sender, step, units, outcomes);
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
    // A COMMIT without an answer may or may not have happened. Then the connection is lost, and this rejects too. Without
    // a transaction, ROLLBACK would put a warning into the log of the server.
    await connection.exec(isOne ? 'SELECT 1' : 'ROLLBACK').catch(() => {
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
    const plan = planOf(units);
    const merged = [...plan.guards, ...plan.steps].filter((step) => 'rows' in step && step.rows.length > 1) as Rows[];
    const inserts = await provideArrayInserts(
      connection,
      merged.map(({ insert }) => insert),
    );
    return await runPlan(connection, plan, units, inserts);
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
