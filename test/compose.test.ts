import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../server/src/config.ts';

const text = readFileSync(new URL('../compose.yaml', import.meta.url), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: the members of a compose file are looked at one by one.
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

  test('waits for services that exist and can be asked how they are, and migrates first', () => {
    for (const [name, { depends_on = {} }] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries<{ condition: string }>(depends_on)) {
        expect(Object.keys(services), name).toContain(needed);
        if (needed === 'migrate') expect(condition).toBe('service_completed_successfully');
        else expect(condition).toBe('service_healthy');
        // The image of ours says by itself how it is asked.
        if (condition === 'service_healthy')
          expect(services[needed].healthcheck ?? services[needed].build).toBeDefined();
      }
    }
    for (const name of ['api-1', 'api-2', 'worker']) expect(services[name].depends_on.migrate).toBeDefined();
  });

  test('holds no secret: each is required by name, and says what it is', () => {
    for (const name of ['POSTGRES_PASSWORD', 'SECRET_KEY', 'API_KEYS']) {
      const uses = text.match(new RegExp(`\\$\\{${name}\\b[^}]*\\}`, 'g')) ?? [];
      expect(uses.length).toBeGreaterThan(0);
      for (const use of uses) expect(use).toMatch(/:\?is .{10,}\}$/);
    }
    for (const { environment = {} } of Object.values(services))
      for (const [name, value] of Object.entries(environment))
        if (/PASSWORD|SECRET|KEYS?$/.test(name)) expect(value).toMatch(/^\$\{\w+:\?/);
  });

  test('sets nothing that the service does not know', () => {
    const known = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8');
    for (const name of OURS)
      for (const setting of Object.keys(services[name].environment)) expect(known).toContain(`| \`${setting}\` |`);
    expect(readConfig({ LOG_LEVEL: /LOG_LEVEL:-(\w+)/.exec(text)?.[1] })).toHaveProperty('logLevel', 'info');
  });

  test('gives our processes no right they do not need, and longer to stop than they take', () => {
    for (const name of OURS) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '15s' });
      expect(services[name].security_opt).toEqual(['no-new-privileges:true']);
      expect(services[name]).not.toHaveProperty('ports');
    }
  });

  test('shows itself to this machine alone, and keeps what must stay in volumes that are declared', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:8080:8080']);
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(mounted.map((volume: string) => volume.split(':')[0]).sort()).toEqual(Object.keys(compose.volumes).sort());
    expect(services.valkey.command).toContain('noeviction');
  });
});
