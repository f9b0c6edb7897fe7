import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { useHostOf } from '../api/hosts.ts';
import { type Environment, me, signOut } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { formatCount, formatName } from '../parts/format.ts';
import { Icon, Logo } from '../parts/icons.tsx';
import { Menu } from '../parts/Menu.tsx';
import { GROUPS } from './pages.ts';

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];

/** The environment is part of the path: two tabs can differ, and a link means one thing. */
const Switch = () => {
  const environment = useEnvironment();
  const person = useStore(me);
  const [, go] = useLocation();
  const hrefOf = useHostOf();
  const leadTo = (one: Environment) => {
    const href = hrefOf(one);
    return href === undefined ? { run: () => go(`~/console/${one}`) } : { href };
  };
  return (
    <Menu
      width={196}
      button={
        <button type="button" className="env" aria-label={`Environment: ${environment}`}>
          <span className={`env-dot is-${environment}`} />
          {formatName(environment)}
          <Icon name="down" size={16} />
        </button>
      }
      items={ENVIRONMENTS.map((one) => ({
        id: one,
        label: formatName(one),
        isChecked: one === environment,
        isDisabled: person?.roles[one] === null,
        ...leadTo(one),
      }))}
    />
  );
};

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => word.charAt(0))
    .slice(0, 2)
    .join('')
    .toUpperCase();
export const Face = ({ name, isSmall = false }: { name: string; isSmall?: boolean }) => (
  <span className={`face ${isSmall ? 'is-small' : ''}`} aria-hidden="true">
    {initialsOf(name)}
  </span>
);

const Who = () => {
  const environment = useEnvironment();
  const person = useStore(me);
  const [, go] = useLocation();
  if (!person) return null;
  return (
    <Menu
      width={220}
      position="top-start"
      button={
        <button type="button" className="who">
          <Face name={person.name} />
          <span className="cut">
            <span className="who-name cut">{person.name}</span>
            <span className="who-role">{formatName(person.roles[environment] ?? 'no role')}</span>
          </span>
        </button>
      }
      items={[
        { id: 'email', label: person.email },
        { id: 'me', label: 'Your page', icon: 'user', run: () => go('/me') },
        { id: 'docs', label: 'API reference', icon: 'docs', href: '/docs' },
        { id: 'out', label: 'Sign out', icon: 'signOut', run: () => void signOut() },
      ]}
    />
  );
};

/** Number of open cases. The list of cases keeps it fresh. */
export const useOpenCount = (): number | undefined => {
  const client = useClient();
  const environment = useEnvironment();
  return useQuery({
    queryKey: [environment, 'cases', 'open-count'],
    queryFn: ({ signal }) => client.cases.list({ status: 'open', limit: 1 }, { signal }),
    refetchInterval: 60_000,
  }).data?.total;
};

export const Nav = ({ isOpen, close }: { isOpen: boolean; close: () => void }) => {
  const [at] = useLocation();
  const open = useOpenCount();
  const isCurrent = (path: string): boolean => (path === '/' ? at === '/' : at === path || at.startsWith(`${path}/`));
  return (
    <nav className={`shell-nav ${isOpen ? 'is-open' : ''}`} aria-label="Main" id="nav">
      <Link href="/" className="brand" onClick={close}>
        <Logo /> Portcullis
      </Link>
      <Switch />
      {GROUPS.map(({ title, pages }) => (
        <div key={title} className="nav-group">
          <p>{title}</p>
          <ul>
            {pages.map(({ path, title, icon }) => (
              <li key={path}>
                <Link
                  href={path}
                  className="nav-link"
                  aria-current={isCurrent(path) ? 'page' : undefined}
                  onClick={close}
                >
                  <Icon name={icon} />
                  {title}
                  {path === '/cases' && open !== undefined && (
                    <span className="nav-count">
                      {formatCount(open)}
                      <span className="unseen"> open</span>
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <div className="nav-foot">
        <Who />
      </div>
    </nav>
  );
};
