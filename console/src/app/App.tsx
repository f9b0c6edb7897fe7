import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Router, Switch } from 'wouter';
import { EnvironmentProvider } from '../api/environment.tsx';
import { useHostOf } from '../api/hosts.ts';
import { type Environment, loadMe, me } from '../api/session.ts';
import { makeKept, useStore } from '../api/store.ts';
import { timeZone } from '../api/time-zone.ts';
import { Button } from '../parts/Button.tsx';
import { formatName } from '../parts/format.ts';
import { Bones, State } from '../parts/State.tsx';
import { AccountZone } from '../settings/AccountZone.tsx';
import { Shell } from '../shell/Shell.tsx';
import { LiveUpdates } from './LiveUpdates.tsx';

const RELOADED = 'portcullis-reloaded';
/** A new version has other files: a page of the one before loads itself again, once. */
const page = <Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(async () => {
    try {
      const loaded = await load();
      sessionStorage.removeItem(RELOADED);
      return loaded;
    } catch (error) {
      if (sessionStorage.getItem(RELOADED) !== null) throw error;
      sessionStorage.setItem(RELOADED, 'yes');
      location.reload();
      return new Promise<never>(() => {});
    }
  });

const SignIn = page(() => import('../sign-in/SignIn.tsx'));
const UseLink = page(() => import('../sign-in/UseLink.tsx'));
const Overview = page(() => import('../overview/Overview.tsx'));
const Cases = page(() => import('../cases/Cases.tsx'));
const CasePage = page(() => import('../case/CasePage.tsx'));
const DecisionPage = page(() => import('../decision/DecisionPage.tsx'));
const Webhooks = page(() => import('../webhooks/Webhooks.tsx'));
const WebhookPage = page(() => import('../webhooks/WebhookPage.tsx'));
const ApiKeys = page(() => import('../api-keys/ApiKeys.tsx'));
const Integration = page(() => import('../integration/Integration.tsx'));
const People = page(() => import('../people/People.tsx'));
const Audit = page(() => import('../audit/Audit.tsx'));
const Settings = page(() => import('../settings/Settings.tsx'));
const MePage = page(() => import('../me/MePage.tsx'));
const Explorer = page(() => import('../explorer/Explorer.tsx'));
const Users = page(() => import('../users/Users.tsx'));
const UserPage = page(() => import('../user/UserPage.tsx'));
const Rules = page(() => import('../rules/Rules.tsx'));
const RulePage = page(() => import('../rules/RulePage.tsx'));
const Lists = page(() => import('../lists/Lists.tsx'));
const ListPage = page(() => import('../lists/ListPage.tsx'));
const Policy = page(() => import('../policy/Policy.tsx'));
const Models = page(() => import('../models/Models.tsx'));
const Backtests = page(() => import('../backtests/Backtests.tsx'));
const BacktestPage = page(() => import('../backtests/BacktestPage.tsx'));

const lastEnvironment = makeKept('environment', 'production');

/** The environment that the person used last, or one where they have a role. */
const useHome = (): Environment => {
  const person = useStore(me);
  const last = useStore(lastEnvironment) as Environment;
  if (!person || (person.roles[last] ?? null) !== null) return last;
  return person.roles.production === null ? 'sandbox' : 'production';
};

const NotFound = () => (
  <State icon="search" title="There is no such page" more={<a href="/console">To the overview</a>}>
    Check the address, or press <kbd>g</kbd> <kbd>c</kbd> for the cases.
  </State>
);

const Pages = () => (
  <Suspense fallback={<Bones rows={6} height={28} />}>
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
          <State icon="system" title={`${formatName(environment)} has another host name`}>
            Open <a href={elsewhere}>{elsewhere}</a>, and sign in there.
          </State>
        ) : hasRole ? (
          <Pages />
        ) : (
          <State icon="alert" title={`You have no role in ${environment}`}>
            An administrator of {environment} can add you.
          </State>
        )}
      </Shell>
    </EnvironmentProvider>
  );
};

/** After the sign-in, back to the page that was asked for. */
const wanted = (): string | undefined => {
  const to = new URLSearchParams(location.search).get('to');
  return to?.startsWith('/console/') === true ? to.slice('/console'.length) : undefined;
};

const Routes = () => {
  const person = useStore(me);
  const home = useHome();
  if (person === undefined) return null;
  const isIn = person !== null;
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/sign-in">{isIn ? <Redirect to={wanted() ?? `/${home}`} replace /> : <SignIn />}</Route>
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
      <State icon="alert" isBad title="The service does not answer" more={<Button onClick={load}>Try again</Button>}>
        Check your connection, and whether the service runs.
      </State>
    );
  return (
    <Router base="/console">
      <Routes />
    </Router>
  );
};
