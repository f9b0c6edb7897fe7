import type { SignInMethods } from '@portcullis/contract';
import type { Route } from '../http/route.ts';
import type { SessionRoute } from '../http/session-route.ts';
import {
  addPerson,
  changePerson,
  checkAddReplay,
  checkLinkReplay,
  createPersonLink,
  listPeople,
  removePerson,
  removePersonTotp,
} from './manage-people.ts';
import { changeMe, endSession, getMe, listSessions, signOut } from './me.ts';
import { confirmMyTotp, createTotp, removeTotp } from './me-totp.ts';
import type { People } from './people.ts';
import { signIn, signInWithCode } from './sign-in.ts';
import { finishSso, startSso } from './sso.ts';
import { spendPersonLink } from './use-link.ts';

export const peopleRoutes = (route: Route, { deps }: People): void => {
  route('listPeople', (call) => listPeople(deps, call));
  route('addPerson', async (call) => addPerson(deps, call), undefined, checkAddReplay);
  route('changePerson', (call) => changePerson(deps, call));
  route('removePerson', (call) => removePerson(deps, call));
  route('removePersonTotp', (call) => removePersonTotp(deps, call));
  route('createPersonLink', (call) => createPersonLink(deps, call), undefined, checkLinkReplay(deps));
};

export const sessionRoutes = (route: SessionRoute, { deps, hosts }: People): void => {
  const { provider } = deps;
  const ways: SignInMethods = {
    methods: ['password', ...(provider === undefined ? [] : (['sso'] as const))],
    sso: provider === undefined ? null : { label: provider.label },
    hosts,
  };
  route('getSignIn', async () => ({ resource: ways }));
  route('startSso', (call) => startSso(deps, call));
  route('finishSso', (call) => finishSso(deps, call));
  route('signIn', (call) => signIn(deps, call));
  route('signInWithCode', (call) => signInWithCode(deps, call));
  route('useLink', (call) => spendPersonLink(deps, call));
  route('getMe', (call) => getMe(deps, call));
  route('changeMe', (call) => changeMe(deps, call));
  route('createTotp', (call) => createTotp(deps, call));
  route('confirmTotp', (call) => confirmMyTotp(deps, call));
  route('removeTotp', (call) => removeTotp(deps, call));
  route('signOut', (call) => signOut(deps, call));
  route('listSessions', (call) => listSessions(deps, call));
  route('endSession', (call) => endSession(deps, call));
};
