import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../server/src/config.ts';

const text = readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the tests read single fields of a compose file.
const compose: any = parse(text, { merge: true });
const services: Record<string, typeof compose> = compose.services;
const OURS = ['migrate', 'api-1', 'api-2', 'worker'];

describe('the compose file', () => {
  test('has two API processes behind a proxy, a worker, PostgreSQL and Valkey', () => {
    expect(Object.keys(services).sort()).toEqual([...OURS, 'postgres', 'proxy', 'valkey'].sort());
    expect(['api-1', 'api-2', 'worker'].map((name) => services[name].environment.ROLE)).toEqual([
      'api',
      'api',
      'worker',
    ]);
    for (const api of ['api-1', 'api-2']) expect(compose.configs.proxy.content).toContain(`${api}:8080`);
  });

  test('waits only for services with a health check, and migrates first', () => {
    for (const [name, { depends_on = {} }] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries<{ condition: string }>(depends_on)) {
        expect(Object.keys(services), name).toContain(needed);
        if (needed === 'migrate') expect(condition).toBe('service_completed_successfully');
        else expect(condition).toBe('service_healthy');
        // The Portcullis image has its own health check.
        if (condition === 'service_healthy')
          expect(services[needed].healthcheck ?? services[needed].build).toBeDefined();
      }
    }
    for (const name of ['api-1', 'api-2', 'worker']) expect(services[name].depends_on.migrate).toBeDefined();
  });

  test('contains no secret: each is required from the environment, with a description, and one is optional', () => {
    for (const name of ['POSTGRES_PASSWORD', 'VALKEY_PASSWORD', 'SECRET_KEY', 'API_KEYS']) {
      const uses = text.match(new RegExp(`\\$\\{${name}\\b[^}]*\\}`, 'g')) ?? [];
      expect(uses.length).toBeGreaterThan(0);
      for (const use of uses) expect(use).toMatch(/:\?is .{10,}\}$/);
    }
    for (const { environment = {} } of Object.values(services))
      for (const [name, value] of Object.entries(environment))
        if (name === 'OIDC_CLIENT_SECRET') expect(value).toMatch(/^\$\{\w+:-\}$/);
        else if (/PASSWORD|SECRET|AUTH|KEYS?$/.test(name)) expect(value).toMatch(/^\$\{\w+:\?/);
  });

  test('sets only known settings', () => {
    const known = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8');
    for (const name of OURS)
      for (const setting of Object.keys(services[name].environment)) expect(known).toContain(`| \`${setting}\` |`);
    expect(readConfig({ LOG_LEVEL: /LOG_LEVEL:-(\w+)/.exec(text)?.[1] })).toHaveProperty('logLevel', 'info');
  });

  test('runs processes unprivileged, and gives them enough time to stop', () => {
    for (const name of OURS) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '15s' });
      expect(services[name].security_opt).toEqual(['no-new-privileges:true']);
      expect(services[name]).not.toHaveProperty('ports');
    }
  });

  test('listens on this machine only, and stores data in declared volumes', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:8080:8080']);
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(mounted.map((volume: string) => volume.split(':')[0]).sort()).toEqual(Object.keys(compose.volumes).sort());
  });

  test('gives every image of others an exact version and a digest', () => {
    for (const [name, { image, build }] of Object.entries(services))
      if (build === undefined) expect(image, name).toMatch(/^[a-z/]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
  });

  test('asks for a password before PostgreSQL or Valkey answers, and evicts no history', () => {
    const [password] = /\$\{VALKEY_PASSWORD:[^}]+\}/.exec(text) ?? [];
    const { command, configs, environment, healthcheck } = services.valkey;
    expect(command).toEqual(['valkey-server', configs[0].target]);
    expect(compose.configs[configs[0].source].content.split('\n')).toEqual(
      expect.arrayContaining([`requirepass ${password}`, 'maxmemory-policy noeviction', 'appendonly yes']),
    );
    expect(environment.REDISCLI_AUTH).toBe(password);
    // Without -e, the client reports success even when the server refuses the command.
    expect(healthcheck.test).toContain('-e');
    for (const name of OURS) {
      expect(services[name].environment.REDIS_URL).toBe(`redis://:${password}@valkey:6379`);
      expect(services[name].environment.DATABASE_URL).toMatch(/portcullis:\$\{POSTGRES_PASSWORD:\?/);
    }
  });
});
