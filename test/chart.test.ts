import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { HEALTH_PATHS, PUBLIC_PATHS } from '../server/src/http/public-routes.ts';
import { renderChart } from './chart-render.ts';

const folder = fileURLToPath(new URL('../deploy/helm/portcullis', import.meta.url));
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
const serverVersion = JSON.parse(readFileSync(new URL('../server/package.json', import.meta.url), 'utf8')).version;

const PLAIN = { secretName: 'portcullis-secrets' };
/** Everything that can be turned on or filled in. */
const FULL = {
  ...PLAIN,
  imagePullSecrets: [{ name: 'registry' }],
  settings: { LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '6000' },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/a': 'b' },
    hosts: ['fraud.example.com', 'sandbox.fraud.example.com'],
    tlsSecretName: 'certificate',
  },
  networkPolicy: { ingressFrom: [{ namespaceSelector: {} }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, keySecret: { name: 'metrics' } },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'fraud', operator: 'Exists' }],
};
const OFF = {
  ...PLAIN,
  api: { autoscaling: { enabled: false } },
  podDisruptionBudget: { enabled: false },
  networkPolicy: { enabled: false },
};

// biome-ignore lint/suspicious/noExplicitAny: manifests are of many kinds, and the tests look for single members.
type Manifest = any;
const manifestsOf = (over: object, release = 'portcullis'): Manifest[] =>
  [...renderChart(folder, over, release).rendered]
    .filter(([name]) => name.endsWith('.yaml'))
    .flatMap(([name, text]) =>
      parseAllDocuments(text).map((document) => {
        expect(document.errors, name).toEqual([]);
        return document.toJS();
      }),
    )
    .filter((manifest) => manifest !== null);
const ofKind = (manifests: readonly Manifest[], kind: string): Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);
const podsOf = (manifests: readonly Manifest[]): Manifest[] =>
  [...ofKind(manifests, 'Deployment'), ...ofKind(manifests, 'Job')].map(({ spec }) => spec.template);
const includes = (labels: object, selector: object): boolean =>
  Object.entries(selector).every(([name, value]) => (labels as Record<string, unknown>)[name] === value);

const leavesOf = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, part]) => leavesOf(part, path === '' ? key : `${path}.${key}`))
    : [path];

describe('the Helm chart', () => {
  test('uses no value that is not there, and has none that is not used', () => {
    const used = new Set([PLAIN, FULL, OFF].flatMap((over) => [...renderChart(folder, over, 'portcullis').used]));
    expect(leavesOf(parse(read('values.yaml'))).filter((leaf) => !used.has(leaf))).toEqual([]);
  });

  test.each([
    ['a plain release', PLAIN],
    ['everything on', FULL],
    ['everything off', OFF],
  ])('renders to manifests with kinds and names of their own: %s', (_title, over) => {
    const manifests = manifestsOf(over);
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { apiVersion, kind, metadata } of manifests) {
      expect(apiVersion).toMatch(/^(?:[a-z0-9.]+\/)?v\d$/);
      expect(kind).toMatch(/^[A-Z]/);
      expect(metadata.name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
      expect(metadata.labels['app.kubernetes.io/name']).toBe('portcullis');
    }
    expect(ofKind(manifests, 'Deployment').map(({ metadata }) => metadata.name)).toEqual([
      'portcullis-api',
      'portcullis-worker',
    ]);
  });

  test('makes what is turned on, and nothing that is turned off', () => {
    const kinds = (over: object): string[] => [...new Set(manifestsOf(over).map(({ kind }) => kind))].sort();
    expect(kinds(OFF)).toEqual(['Deployment', 'Job', 'Service']);
    expect(kinds(FULL)).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceMonitor',
    ]);
    expect(ofKind(manifestsOf(OFF), 'Deployment').map(({ spec }) => spec.replicas)).toEqual([2, 2]);
    // A number of replicas beside an autoscaler would set it back with every upgrade.
    expect(ofKind(manifestsOf(PLAIN), 'Deployment').map(({ spec }) => spec.replicas)).toEqual([undefined, 2]);
  });

  test('lets through what callers and pages ask for, and nothing that tells of the processes', () => {
    const [{ http }] = ofKind(manifestsOf(FULL), 'Ingress')[0].spec.rules;
    const open = PUBLIC_PATHS.filter((of) => !HEALTH_PATHS.includes(of)).map(({ path }) => path);
    expect(http.paths.map(({ path }: { path: string }) => path).sort()).toEqual(['/v1', ...open].sort());
  });

  test('selects the pods it means, in a release of any name', () => {
    for (const release of ['portcullis', 'prod', 'x'.repeat(53)]) {
      const manifests = manifestsOf(FULL, release);
      const labelsOf = (component: string): object =>
        podsOf(manifests).find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === component).metadata
          .labels;
      for (const { spec } of ofKind(manifests, 'Deployment'))
        expect(includes(spec.template.metadata.labels, spec.selector.matchLabels)).toBe(true);
      const selected = (selector: object): string[] =>
        ['api', 'worker', 'migrate'].filter((component) => includes(labelsOf(component), selector));
      expect(ofKind(manifests, 'Service').map(({ spec }) => selected(spec.selector))).toEqual([['api'], ['worker']]);
      expect(ofKind(manifests, 'PodDisruptionBudget').map(({ spec }) => selected(spec.selector.matchLabels))).toEqual([
        ['api'],
        ['worker'],
      ]);
      expect(ofKind(manifests, 'NetworkPolicy').map(({ spec }) => selected(spec.podSelector.matchLabels))).toEqual([
        ['api', 'worker', 'migrate'],
        ['worker'],
      ]);
      const [monitor] = ofKind(manifests, 'ServiceMonitor');
      for (const { metadata } of ofKind(manifests, 'Service'))
        expect(includes(metadata.labels, monitor.spec.selector.matchLabels)).toBe(true);
      const [scaler] = ofKind(manifests, 'HorizontalPodAutoscaler');
      expect(ofKind(manifests, 'Deployment')[0].metadata.name).toBe(scaler.spec.scaleTargetRef.name);
      const serviceNames = ofKind(manifests, 'Service').map(({ metadata }) => metadata.name);
      for (const { http } of ofKind(manifests, 'Ingress')[0].spec.rules)
        for (const { backend } of http.paths) expect(serviceNames[0]).toBe(backend.service.name);
    }
  });

  test('takes every secret by reference, and does not render without the name of it', () => {
    for (const { spec } of podsOf(manifestsOf(FULL))) {
      const env = spec.containers[0].env as { name: string; value?: string; valueFrom?: Manifest }[];
      for (const name of ['DATABASE_URL', 'REDIS_URL', 'SECRET_KEY', 'API_KEYS']) {
        const found = env.find((one) => one.name === name);
        expect(found?.value).toBe(undefined);
        expect(found?.valueFrom.secretKeyRef).toMatchObject({ name: 'portcullis-secrets', key: name });
      }
      expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
    }
    expect(() => renderChart(folder, {}, 'portcullis')).toThrow(/secretName/);
    expect(() => renderChart(folder, { ...PLAIN, serviceMonitor: { enabled: true } }, 'portcullis')).toThrow(
      /keySecret/,
    );
  });

  test('runs as nobody on a read-only file system, with the ids of the image', () => {
    const user = /^USER (\d+):(\d+)$/m.exec(readFileSync(`${folder}/../../../Dockerfile`, 'utf8'));
    for (const { spec } of podsOf(manifestsOf(FULL))) {
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: Number(user?.[1]),
        runAsGroup: Number(user?.[2]),
      });
      expect(spec.automountServiceAccountToken).toBe(false);
      for (const { securityContext, volumeMounts } of spec.containers) {
        expect(securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
        for (const { name } of volumeMounts)
          expect(spec.volumes.map((volume: Manifest) => volume.name)).toContain(name);
      }
    }
  });

  test('asks whether it lives and whether it is ready, in the role the Deployment is named for', () => {
    for (const { metadata, spec } of ofKind(manifestsOf(PLAIN), 'Deployment')) {
      const [container] = spec.template.spec.containers;
      const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
      expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
      expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
      const role = container.env.find(({ name }: Manifest) => name === 'ROLE').value;
      expect(metadata.name).toBe(`portcullis-${role}`);
    }
  });

  test('migrates before anything is installed or replaced', () => {
    const [job] = ofKind(manifestsOf(PLAIN), 'Job');
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job.spec.template.spec.containers[0].args).toEqual(['migrate']);
    expect(job.spec.template.spec.restartPolicy).toBe('Never');
  });

  test('is of the version of the service', () => {
    expect(parse(read('Chart.yaml'))).toMatchObject({ version: serverVersion, appVersion: serverVersion });
  });

  test('has a schema that takes its values and refuses what is mistyped', () => {
    const schema = Compile(JSON.parse(read('values.schema.json')));
    const values = parse(read('values.yaml'));
    expect([...schema.Errors(values)]).toEqual([]);
    expect(schema.Check(FULL)).toBe(true);
    expect(schema.Check({ ...values, ingres: {} })).toBe(false);
    expect(schema.Check({ ...values, api: { ...values.api, replica: 3 } })).toBe(false);
    // Helm would write a large number as 1e+06.
    expect(schema.Check({ ...values, settings: { RATE_LIMIT_PER_MINUTE: 1_000_000 } })).toBe(false);
    const known = (of: Manifest): string[] =>
      of.properties === undefined
        ? ['']
        : Object.keys(of.properties).flatMap((key) =>
            known(of.properties[key]).map((rest) => (rest === '' ? key : `${key}.${rest}`)),
          );
    const leaves = leavesOf(values);
    expect(
      known(schema.Type()).filter((path) => path !== 'global' && !leaves.some((leaf) => leaf.startsWith(path))),
    ).toEqual([]);
  });
});
