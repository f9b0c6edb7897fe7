import { expect, test } from 'vitest';
import { readDestination } from './audit-destination.ts';

test.each([
  ['file:/var/log/audit.jsonl', 'file:/var/log/audit.jsonl', { path: '/var/log/audit.jsonl' }],
  ['file:///var/log/audit.jsonl', 'file:/var/log/audit.jsonl', { path: '/var/log/audit.jsonl' }],
  ['file:/var/./log/../a b%20.jsonl', 'file:/var/a b%20.jsonl', { path: '/var/a b%20.jsonl' }],
  ['syslog://logs', 'syslog://logs:514', { receiver: { host: 'logs', port: 514, isTls: false } }],
  ['syslog://10.1.2.3:1514/', 'syslog://10.1.2.3:1514', { receiver: { host: '10.1.2.3', port: 1514, isTls: false } }],
  ['syslogs://[2001:DB8::1]', 'syslogs://[2001:db8::1]:6514', { receiver: { host: '2001:db8::1', port: 6514 } }],
  ['SYSLOGS://Logs_1.Example.com', 'syslogs://logs_1.example.com:6514', { receiver: { isTls: true, port: 6514 } }],
])('%s is the destination %s', (text, name, rest) => {
  expect(readDestination(text)).toMatchObject({ name, ...rest });
});

test.each([
  ['a relative path', 'file:audit.jsonl'],
  ['a path without a scheme', '/var/log/audit.jsonl'],
  ['a file on a host', 'file://logs/audit.jsonl'],
  ['a folder', 'file:/var/log/'],
  ['the root folder', 'file:/'],
  ['no file', 'file:'],
  ['a NUL in a path', 'file:/var/log/a\0b'],
  ['an unknown scheme', 'https://logs.example.com'],
  ['UDP', 'syslog+udp://logs.example.com'],
  ['another word', 'on'],
  ['no host', 'syslog://'],
  ['no slashes', 'syslog:logs'],
  ['a port that is no number', 'syslog://logs:https'],
  ['port 0', 'syslog://logs:0'],
  ['a port above 65535', 'syslogs://logs:65536'],
  ['a user and a password', 'syslog://user:secret@logs'],
  ['a path behind a host', 'syslog://logs/audit'],
  ['a query', 'syslogs://logs?verify=off'],
  ['a host with other characters', 'syslog://lo%20gs'],
])('%s is refused', (_, text) => {
  expect(readDestination(text)).toBeUndefined();
});
