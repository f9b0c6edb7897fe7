import { Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { EnvironmentProvider } from '../api/environment.tsx';
import { useHostOf } from '../api/hosts.ts';
import { type Environment, loadMe, me } from '../api/session.ts';
import { makeKept, useStore } from '../api/store.ts';
import { timeZone } from '../api/time-zone.ts';
import { Button } from '../parts/Button.tsx';
import { EmptyState } from '../parts/EmptyState.tsx';
import { formatName } from '../parts/format.ts';
import { loadLater } from '../parts/load-later.ts';
import { Skeleton } from '../parts/Skeleton.tsx';
import { AccountZone } from '../settings/AccountZone.tsx';
import { Shell } from '../shell/Shell.tsx';
import { returnTo } from '../sign-in/return-to.ts';
import { LiveUpdates } from './LiveUpdates.tsx';

const SignIn = loadLater(() => import('../sign-in/SignIn.tsx'));
const SsoReturn = loadLater(() => import('../sign-in/SsoReturn.tsx'));
const UseLink = loadLater(() => import('../sign-in/UseLink.tsx'));
const Overview = loadLater(() => import('../overview/Overview.tsx'));
const Cases = loadLater(() => import('../cases/Cases.tsx'));
const CasePage = loadLater(() => import('../case/CasePage.tsx'));
const DecisionPage = loadLater(() => import('../decision/DecisionPage.tsx'));
const Webhooks = loadLater(() => import('../webhooks/Webhooks.tsx'));
const WebhookPage = loadLater(() => import('../webhooks/WebhookPage.tsx'));
const ApiKeys = loadLater(() => import('../api-keys/ApiKeys.tsx'));
const Integration = loadLater(() => import('../integration/Integration.tsx'));
const People = loadLater(() => import('../people/People.tsx'));
const Audit = loadLater(() => import('../audit/Audit.tsx'));
const Settings = loadLater(() => import('../settings/Settings.tsx'));
const MePage = loadLater(() => import('../me/MePage.tsx'));
const Explorer = loadLater(() => import('../explorer/Explorer.tsx'));
const Users = loadLater(() => import('../users/Users.tsx'));
const UserPage = loadLater(() => import('../user/UserPage.tsx'));
const Rules = loadLater(() => import('../rules/Rules.tsx'));
const RulePage = loadLater(() => import('../rules/RulePage.tsx'));
const Lists = loadLater(() => import('../lists/Lists.tsx'));
const ListPage = loadLater(() => import('../lists/ListPage.tsx'));
const Policy = loadLater(() => import('../policy/Policy.tsx'));
const Models = loadLater(() => import('../models/Models.tsx'));
const Backtests = loadLater(() => import('../backtests/Backtests.tsx'));
const Compare = loadLater(() => import('../backtests/Compare.tsx'));
const BacktestPage = loadLater(() => import('../backtests/BacktestPage.tsx'));

const lastEnvironment = makeKept('environment', 'production');

/** The environment that the person used last, or one where they have a role. */
const useHome = (): Environment => {
  const person = useStore(me);
  const last = useStore(lastEnvironment) as Environment;
  if (!person || (person.roles[last] ?? null) !== null) return last;
  return person.roles.production === null ? 'sandbox' : 'production';
};

const NotFound = () => (
  <EmptyState isPage icon="search" title="Page not found" more={<a href="/console">Go to the overview</a>}>
    Check the address, or press <kbd>g</kbd> <kbd>c</kbd> for the cases.
  </EmptyState>
);

const Loading = () => (
  <>
    <h1 className="unseen">Loading</h1>
    <Skeleton rows={6} height={28} />
  </>
);

const Pages = () => (
  <Suspense fallback={<Loading />}>
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/cases" component={Cases} />
      <Route path="/cases/:id">{({ id }) => <CasePage key={id} id={id} />}</Route>
      <Route path="/decisions/:id">{({ id }) => <DecisionPage key={id} id={id} />}</Route>
      <Route path="/webhooks" component={Webhooks} />
      <Route path="/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
      <Route path="/api-keys" component={ApiKeys} />
      <Route path="/integration" component={Integration} />
      <Route path="/people" component={People} />
      <Route path="/audit" component={Audit} />
      <Route path="/settings" component={Settings} />
      <Route path="/me" component={MePage} />
      <Route path="/explorer" component={Explorer} />
      <Route path="/users" component={Users} />
      <Route path="/users/:id">{({ id }) => <UserPage key={id} />}</Route>
      <Route path="/rules" component={Rules} />
      <Route path="/rules/:id">{({ id }) => <RulePage key={id} id={id} />}</Route>
      <Route path="/lists" component={Lists} />
      <Route path="/lists/:id">{({ id }) => <ListPage key={id} id={id} />}</Route>
      <Route path="/policy" component={Policy} />
      <Route path="/models" component={Models} />
      <Route path="/backtests" component={Backtests} />
      <Route path="/backtests/compare" component={Compare} />
      <Route path="/backtests/:id">{({ id }) => <BacktestPage key={id} id={id} />}</Route>
      <Route component={NotFound} />
    </Switch>
  </Suspense>
);

const Inside = ({ environment }: { environment: Environment }) => {
  const person = useStore(me);
  // Every time on the page is drawn again in another zone.
  useStore(timeZone);
  useEffect(() => lastEnvironment.set(environment), [environment]);
  const hasRole = person?.roles[environment] !== null;
  const elsewhere = useHostOf()(environment);
  return (
    <EnvironmentProvider value={environment}>
      <LiveUpdates key={environment} />
      <AccountZone />
      <Shell>
        {elsewhere !== undefined ? (
          <EmptyState isPage icon="system" title={`${formatName(environment)} is on another host`}>
            Open <a href={elsewhere}>{elsewhere}</a> and sign in there.
          </EmptyState>
        ) : hasRole ? (
          <Pages />
        ) : (
          <EmptyState isPage icon="alert" title={`You have no role in ${environment}`}>
            An administrator of {environment} can add you.
          </EmptyState>
        )}
      </Shell>
    </EnvironmentProvider>
  );
};

const Routes = () => {
  const person = useStore(me);
  const home = useHome();
  if (person === undefined) return null;
  const isIn = person !== null;
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/sign-in">
          {isIn ? <Redirect to={returnTo()?.slice('/console'.length) ?? `/${home}`} replace /> : <SignIn />}
        </Route>
        <Route path="/sso" component={SsoReturn} />
        <Route path="/start">
          {isIn && location.hash === '' ? <Redirect to={`/${home}`} replace /> : <UseLink isFirst />}
        </Route>
        <Route path="/invite">
          {isIn && location.hash === '' ? <Redirect to={`/${home}`} replace /> : <UseLink isFirst={false} />}
        </Route>
        {!isIn && (
          <Route>
            <Redirect to={`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`} replace />
          </Route>
        )}
        <Route path="/production" nest>
          <Inside environment="production" />
        </Route>
        <Route path="/sandbox" nest>
          <Inside environment="sandbox" />
        </Route>
        <Route path="/">
          <Redirect to={`/${home}`} replace />
        </Route>
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  );
};

/** Asks who is signed in, then shows the page of the address. */
export const App = () => {
  const [hasFailed, setFailed] = useState(false);
  const load = (): void => {
    setFailed(false);
    loadMe().catch(() => setFailed(true));
  };
  useEffect(load, []);
  if (hasFailed)
    return (
      <EmptyState
        isPage
        icon="alert"
        isBad
        title="The service is not responding"
        more={<Button onClick={load}>Try again</Button>}
      >
        Check your connection, and that the service is running.
      </EmptyState>
    );
  return (
    <Router base="/console">
      <Routes />
    </Router>
  );
};
