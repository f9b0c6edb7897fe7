import type { AccountSettings } from '@portcullis/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Choice, Form } from '../admin/Form.tsx';
import { useSend } from '../admin/use-send.ts';
import { useClient, useEnvironment } from '../api/environment.tsx';
import { useSso } from '../api/hosts.ts';
import { Card } from '../parts/Card.tsx';
import { Failed } from '../parts/Failed.tsx';
import { Field } from '../parts/Field.tsx';
import { formatCount, formatDuration, formatName } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { Time } from '../parts/Time.tsx';
import { useWhyNot } from '../parts/use-why-not.ts';
import { useSettings } from './use-settings.ts';
import '../admin/admin.css';
import './settings.css';

const MINUTES_OF = { minutes: 1, hours: 60, days: 1440 } as const;
type Unit = keyof typeof MINUTES_OF;
/** A target in its largest whole unit. */
const partsOf = (minutes: number | null): { count: string; unit: Unit } => {
  if (minutes === null) return { count: '', unit: 'hours' };
  const unit = (['days', 'hours'] as const).find((one) => minutes % MINUTES_OF[one] === 0) ?? 'minutes';
  return { count: String(minutes / MINUTES_OF[unit]), unit };
};

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const Account = ({ settings }: { settings: AccountSettings }) => {
  const client = useClient();
  const environment = useEnvironment();
  const queries = useQueryClient();
  const why = useWhyNot('administer');
  const [name, setName] = useState(settings.name ?? '');
  // Until somebody has set a zone, the console shows that of the browser: saving keeps it.
  const [zone, setZone] = useState(settings.updated_at === null ? BROWSER_ZONE : settings.time_zone);
  const [target, setTarget] = useState(partsOf(settings.review_target_minutes));
  const [isNoteRequired, setNoteRequired] = useState(settings.note_required_on_reject);
  const [isSaved, setSaved] = useState(false);
  const sending = useSend();
  const save = async (): Promise<void> => {
    const saved = await client.settings.change({
      name: name.trim(),
      time_zone: zone,
      review_target_minutes: Math.round(Number(target.count) * MINUTES_OF[target.unit]),
      note_required_on_reject: isNoteRequired,
    });
    queries.setQueryData([environment, 'settings'], saved);
    setSaved(true);
  };
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <Card
      title="Account"
      note={`In ${environment}; each environment has its own`}
      more={
        settings.updated_at !== null && (
          <span className="dim">
            Changed <Time at={settings.updated_at} />
          </span>
        )
      }
    >
      <div onChange={() => setSaved(false)}>
        <Form
          sending={sending}
          submit="Save"
          why={why}
          onSubmit={save}
          more={
            <span role="status">
              {isSaved && (
                <span className="saved">
                  <Icon name="check" size={16} /> Saved
                </span>
              )}
            </span>
          }
        >
          <fieldset className="plain" disabled={why !== undefined}>
            <div className="form">
              <Field
                label="Name of the account"
                placeholder="Nordlys"
                value={name}
                maxLength={100}
                error={sending.errorOf('name')}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Choice
                label="Time zone"
                value={zone}
                options={[...new Set(['UTC', zone, ...zones])].map((one) => [one, one] as const)}
                note={
                  <>
                    Everyone sees times in this zone, unless they choose another on <Link href="/me">their page</Link>.
                    The API uses UTC.
                  </>
                }
                onPick={setZone}
              />
              <div className="form-pair">
                <Field
                  label="Review target"
                  type="number"
                  min={0}
                  max={10_080}
                  step="any"
                  placeholder="No target"
                  note="A case should be resolved within this time. Cases past it are marked in the queue."
                  value={target.count}
                  error={sending.errorOf('review_target_minutes')}
                  onChange={(event) => setTarget({ ...target, count: event.currentTarget.value })}
                />
                <Choice
                  label="Unit of the target"
                  value={target.unit}
                  options={(Object.keys(MINUTES_OF) as Unit[]).map((unit) => [unit, formatName(unit)] as const)}
                  onPick={(unit) => setTarget({ ...target, unit: unit as Unit })}
                />
              </div>
              <label className="check">
                <input
                  type="checkbox"
                  checked={isNoteRequired}
                  onChange={(event) => setNoteRequired(event.currentTarget.checked)}
                />
                <span>
                  Require a note to reject a case
                  <span className="field-note">Analysts say why, for the next person and for the customer.</span>
                </span>
              </label>
            </div>
          </fieldset>
        </Form>
      </div>
    </Card>
  );
};

const Service = () => {
  const sso = useSso();
  const client = useClient();
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'stats', 'service'],
    queryFn: ({ signal }) => client.stats.getService({ signal }),
    refetchInterval: 10_000,
  });
  const service = query.data;
  if (service === undefined)
    return (
      <Card title="The service">
        {query.isError ? <Failed error={query.error} retry={() => void query.refetch()} /> : <Skeleton rows={5} />}
      </Card>
    );
  const { latency_ms, search_behind_seconds } = service;
  const rows = [
    ['Version', service.version],
    ['Store', service.store === 'embedded' ? 'Embedded (SQLite)' : 'PostgreSQL and Redis'],
    ['Address', location.origin],
    ['Single sign-on', sso?.label ?? 'Off'],
    ['Screenings in the last minute', formatCount(service.screenings_per_minute)],
    ['Response time, median and p99', latency_ms === null ? '–' : `${latency_ms.p50} ms, ${latency_ms.p99} ms`],
    ['Search delay', search_behind_seconds < 1 ? 'none' : formatDuration(search_behind_seconds * 1000)],
    ['Webhook messages pending', formatCount(service.deliveries_pending)],
  ] as const;
  return (
    <Card title="The service" more={<a href="/docs/guides/settings">Settings of the service</a>}>
      <dl className="lines">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};

const About = () => (
  <Card title="About">
    <p className="dim about">
      Portcullis is open source, under the Apache License 2.0. IP geolocation by{' '}
      <a href="https://db-ip.com" rel="noreferrer">
        DB-IP
      </a>
      . <a href="/docs">API reference</a> · <a href="/docs/guides/console">Guide to the console</a>
    </p>
  </Card>
);

/** How the account works, and what the service runs with. */
export default function Settings() {
  const environment = useEnvironment();
  const settings = useSettings();
  useEffect(() => {
    document.title = 'Settings · Portcullis';
  }, []);
  return (
    <>
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <div className="settings-grid">
        {settings.data === undefined ? (
          <div className="card" style={{ padding: 20 }}>
            {settings.isError ? (
              <Failed error={settings.error} retry={() => void settings.refetch()} />
            ) : (
              <Skeleton rows={6} height={28} />
            )}
          </div>
        ) : (
          <Account key={environment} settings={settings.data} />
        )}
        <div className="sheet">
          <Service />
          <About />
        </div>
      </div>
    </>
  );
}
