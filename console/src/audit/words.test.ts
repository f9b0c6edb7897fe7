import { expect, test } from 'vitest';
import { differencesOf } from './words.ts';

test('a difference names each member that changed, was added or was removed', () => {
  const before = { label: 'Old', url: 'https://a.example', events: ['x'], gone: 1 };
  const after = { label: 'New', url: 'https://a.example', events: ['x', 'y'], added: true };
  expect(differencesOf({ before, after })).toEqual([
    { name: 'label', before: 'Old', after: 'New' },
    { name: 'events', before: '[\n "x"\n]', after: '[\n "x",\n "y"\n]' },
    { name: 'gone', before: '1', after: undefined },
    { name: 'added', before: undefined, after: 'true' },
  ]);
});

test('a new and a deleted resource have all members on one side', () => {
  expect(differencesOf({ before: null, after: { a: 'x' } })).toEqual([{ name: 'a', before: undefined, after: 'x' }]);
  expect(differencesOf({ before: { a: 'x' }, after: null })).toEqual([{ name: 'a', before: 'x', after: undefined }]);
  expect(differencesOf({ before: null, after: null })).toEqual([]);
});
