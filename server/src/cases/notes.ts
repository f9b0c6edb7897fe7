import { type CaseNote, type CaseNoteList, MAX_NOTES_PER_CASE, writeTimestamp } from '@portcullis/contract';
import { analystOf, authorOf } from '../http/caller.ts';
import type { Answer, Call } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import { type CaseDeps, caseIdOf, requireCase } from './case.ts';
import { countNote, countNotes, insertNote, listNoteRows, type NoteRow } from './notes-store.ts';

const DEFAULT_LIMIT = 20;

const toNote = (caseId: string, row: NoteRow): CaseNote => ({
  note_id: withPrefix('note', row.id),
  case_id: withPrefix('case', caseId),
  author: row.author,
  text: row.text,
  created_at: writeTimestamp(row.created_at),
});

/** The audit entry has no text: a note may hold personal data, and the log is kept for ever. */
export const addCaseNote = async (deps: CaseDeps, call: Call<'addCaseNote'>): Promise<Answer> => {
  const { backend, audit, labels } = deps;
  const { tenant } = call.caller;
  const id = caseIdOf(call);
  const author = analystOf(call.caller, call.body.analyst_id) ?? authorOf(call.caller);
  // The lock makes the quota exact.
  return labels.withLock(tenant, id, async () => {
    await requireCase(deps, tenant, id);
    if ((await countNotes(backend, tenant, id)) >= MAX_NOTES_PER_CASE)
      throw new ApiError('limit_reached', `A case can have at most ${MAX_NOTES_PER_CASE} notes.`);
    const { text } = call.body;
    const row: NoteRow = { id: deps.newId(), author, text, created_at: deps.clock() };
    const note = toNote(id, row);
    const answer = call.answer(note);
    const change = {
      action: 'case.noted',
      target: note.case_id,
      before: null,
      after: { note_id: note.note_id, author },
    };
    await audit.write(call.caller, change, [insertNote(tenant, id, row), countNote(tenant, id), ...answer.statements]);
    return answer;
  });
};

/** All notes of a case, the newest first. */
export const notesOf = async ({ backend }: CaseDeps, tenant: number, id: string): Promise<CaseNote[]> =>
  (await listNoteRows(backend, tenant, id, undefined, MAX_NOTES_PER_CASE)).rows.map((row) => toNote(id, row));

export const listCaseNotes = async (deps: CaseDeps, call: Call<'listCaseNotes'>): Promise<Answer> => {
  const { tenant } = call.caller;
  const { limit = DEFAULT_LIMIT, before } = call.query;
  const id = caseIdOf(call);
  await requireCase(deps, tenant, id);
  const cursor = before === undefined ? undefined : idOf('note', before);
  const { rows, hasMore } = await listNoteRows(deps.backend, tenant, id, cursor, limit);
  const notes: CaseNoteList = { notes: rows.map((row) => toNote(id, row)), has_more: hasMore };
  return call.answer(notes);
};
