import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { HEALTH_ENDPOINTS, PUBLIC_ENDPOINTS } from '../server/src/http/public-routes.ts';
import { SPECIAL_NETWORKS } from '../server/src/webhooks/special-networks.ts';
import { renderChart } from './chart-render.ts';

const folder = fileURLToPath(new URL('../deploy/helm/portcullis', import.meta.url));
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
const serverVersion = JSON.parse(readFileSync(new URL('../server/package.json', import.meta.url), 'utf8')).version;

const PLAIN = { secretName: 'portcullis-secrets' };
/** Every option enabled, every value set. */
const FULL = {
  ...PLAIN,
  image: { digest: `sha256:${'5a'.repeat(32)}` },
  imagePullSecrets: [{ name: 'registry' }],
  settings: { LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '6000' },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/a': 'b' },
    hosts: ['fraud.example.com', 'sandbox.fraud.example.com'],
    tlsSecretName: 'certificate',
  },
  networkPolicy: {
    ingressFrom: [{ namespaceSelector: {} }],
    apiEgress: [{ to: [{ ipBlock: { cidr: '198.51.100.0/24' } }], ports: [{ port: 443 }] }],
  },
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

// biome-ignore lint/suspicious/noExplicitAny: manifests are of many kinds, and the tests read single fields.
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
  test('uses only declared values, and all of them', () => {
    const used = new Set([PLAIN, FULL, OFF].flatMap((over) => [...renderChart(folder, over, 'portcullis').used]));
    expect(leavesOf(parse(read('values.yaml'))).filter((leaf) => !used.has(leaf))).toEqual([]);
  });

  test.each([
    ['a plain release', PLAIN],
    ['everything on', FULL],
    ['everything off', OFF],
  ])('renders manifests with unique kinds and names: %s', (_title, over) => {
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

  test('creates only enabled resources', () => {
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
    // A number of replicas would reset the autoscaler with every upgrade.
    expect(ofKind(manifestsOf(PLAIN), 'Deployment').map(({ spec }) => spec.replicas)).toEqual([undefined, 2]);
  });

  test('forwards the API, the console, the docs and the SDK, but no health or metrics paths', () => {
    const [{ http }] = ofKind(manifestsOf(FULL), 'Ingress')[0].spec.rules;
    const open = PUBLIC_ENDPOINTS.filter((of) => !HEALTH_ENDPOINTS.includes(of)).map(({ path }) => path);
    const rules: { path: string; pathType: string }[] = http.paths;
    // A prefix covers the paths below it, as `/docs` covers the guides.
    const isCovered = (path: string, by: string): boolean => path !== by && path.startsWith(`${by}/`);
    const outermost = open.filter((path) => !open.some((by) => isCovered(path, by)));
    expect(rules.map(({ path }) => path).sort()).toEqual(['/v1', ...outermost].sort());
    const prefixes = rules.filter(({ pathType }) => pathType === 'Prefix').map(({ path }) => path);
    expect(prefixes.sort()).toEqual(['/console', '/docs', '/v1']);
  });

  test('selects the right pods for any release name', () => {
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

  test('lets workers deliver to no network that the service refuses', () => {
    const familyOf = (cidr: string) => (cidr.includes(':') ? 'ipv6' : 'ipv4');
    const isInside = (cidr: string, outer: string): boolean => {
      const [address = '', bits] = cidr.split('/');
      const [network = '', outerBits] = outer.split('/');
      const list = new BlockList();
      list.addSubnet(network, Number(outerBits), familyOf(outer));
      const isSmaller = familyOf(cidr) === familyOf(outer) && Number(bits) > Number(outerBits);
      return isSmaller && list.check(address, familyOf(cidr));
    };
    const all = SPECIAL_NETWORKS.map(({ cidr }) => cidr);
    const outermost = all.filter((cidr) => !all.some((outer) => isInside(cidr, outer)));
    const [, webhooks] = ofKind(manifestsOf(PLAIN), 'NetworkPolicy');
    const [ipv4, ipv6] = webhooks.spec.egress[0].to.map(({ ipBlock }: Manifest) => ipBlock);
    expect(ipv4).toEqual({ cidr: '0.0.0.0/0', except: expect.any(Array) });
    expect(ipv6).toEqual({ cidr: '::/0', except: expect.any(Array) });
    // The service looks inside an address of 6to4, which a network policy cannot do.
    expect([...ipv4.except, ...ipv6.except].sort()).toEqual([...new Set([...outermost, '2002::/16'])].sort());
  });

  test('lets processes reach the identity provider that apiEgress names, and nothing else without it', () => {
    const egressOf = (over: object): Manifest[] =>
      ofKind(manifestsOf(over), 'NetworkPolicy').find(({ metadata }) => metadata.name === 'portcullis').spec.egress;
    expect(egressOf(FULL)).toEqual([...egressOf(PLAIN), ...FULL.networkPolicy.apiEgress]);
    expect(egressOf(PLAIN).flatMap(({ ports }) => ports.map(({ port }: Manifest) => port))).toEqual([
      53, 53, 5432, 6379,
    ]);
  });

  test('runs the image of a digest where one is given', () => {
    const images = (over: object): string[] => podsOf(manifestsOf(over)).map(({ spec }) => spec.containers[0].image);
    expect(new Set(images(PLAIN))).toEqual(new Set([`portcullis:${serverVersion}`]));
    expect(new Set(images(FULL))).toEqual(new Set([`portcullis:${serverVersion}@${FULL.image.digest}`]));
  });

  test('refers to every secret by name, and fails to render without that name', () => {
    for (const { spec } of podsOf(manifestsOf(FULL))) {
      const env = spec.containers[0].env as { name: string; value?: string; valueFrom?: Manifest }[];
      for (const name of ['DATABASE_URL', 'REDIS_URL', 'SECRET_KEY', 'API_KEYS', 'OIDC_CLIENT_SECRET']) {
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

  test('runs unprivileged on a read-only file system, with the ids of the image', () => {
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

  test('has liveness and readiness probes, and the role of its Deployment', () => {
    for (const { metadata, spec } of ofKind(manifestsOf(PLAIN), 'Deployment')) {
      const [container] = spec.template.spec.containers;
      const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
      expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
      expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
      const role = container.env.find(({ name }: Manifest) => name === 'ROLE').value;
      expect(metadata.name).toBe(`portcullis-${role}`);
    }
  });

  test('migrates before install and upgrade', () => {
    const [job] = ofKind(manifestsOf(PLAIN), 'Job');
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job.spec.template.spec.containers[0].args).toEqual(['migrate']);
    expect(job.spec.template.spec.restartPolicy).toBe('Never');
  });

  test('has the version of the service', () => {
    expect(parse(read('Chart.yaml'))).toMatchObject({ version: serverVersion, appVersion: serverVersion });
  });

  test('has a schema that accepts its values and refuses wrong types', () => {
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

const helm = (command: string[], values: object) =>
  spawnSync('helm', [...command, '--namespace', 'fraud', '--values', '-'], {
    input: JSON.stringify(values),
    encoding: 'utf8',
  });
const hasHelm = spawnSync('helm', ['version']).error === undefined;

describe.skipIf(!hasHelm)('Helm', () => {
  const byName = (manifests: readonly Manifest[]): Record<string, Manifest> =>
    Object.fromEntries(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest]));

  test.each([
    ['a plain release', PLAIN, 'portcullis'],
    ['everything on', FULL, 'x'.repeat(53)],
    ['everything off', OFF, 'prod'],
  ])('renders the same manifests as the renderer of these tests: %s', (_title, values, release) => {
    const { status, stdout, stderr } = helm(['template', release, folder], values);
    expect(status, stderr).toBe(0);
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS());
    expect(byName(manifests)).toEqual(byName(manifestsOf(values, release)));
    expect(manifests).toHaveLength(manifestsOf(values, release).length);
  });

  test('accepts the chart in its linter', () => {
    const { status, stdout } = helm(['lint', folder, '--strict'], FULL);
    expect(status, stdout).toBe(0);
  });
});
