export { eraseAttackLink, eraseCaseRow as eraseCase, idsOfUser as caseIdsOfUser } from './erase-store.ts';
