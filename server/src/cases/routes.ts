import type { Route } from '../http/route.ts';
import { refuseReasonOf } from '../labels/reason.ts';
import type { Cases } from './cases.ts';
import { selectionErrors } from './resolve.ts';

const reasonErrors = refuseReasonOf('status', 'approved');

export const caseRoutes = (route: Route, cases: Cases): void => {
  route('listCases', cases.list);
  route('getCase', cases.get);
  route('resolveCase', cases.resolve, reasonErrors);
  route('resolveManyCases', cases.resolveMany, (body) => [...selectionErrors(body), ...reasonErrors(body)]);
  route('reopenCase', cases.reopen);
  route('assignCase', cases.assign);
  route('takeNextCase', cases.takeNext);
  route('setCasePriority', cases.setPriority);
  route('setCaseTags', cases.setTags);
  route('snoozeCase', cases.snooze);
  route('setCasePresence', cases.setPresence);
  route('getCaseActivity', cases.getActivity);
  route('addCaseNote', cases.addNote);
  route('listCaseNotes', cases.listNotes);
};
