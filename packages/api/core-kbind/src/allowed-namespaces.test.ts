import { expect, it } from '@jest/globals';
import { mayUse } from './allowed-namespaces.js';

const connection = (allowed?: string): Parameters<typeof mayUse>[0] => ({
  metadata: {
    name: 'demo',
    ...(allowed === undefined ? {} : { annotations: { 'hawser.dev/allowed-namespaces': allowed } }),
  },
});

it.each([
  [undefined, 'team-a', true],
  ['team-a, team-b', 'team-b', true],
  ['team-a,team-b', 'team', false],
  ['', 'team-a', false],
  ['', undefined, true],
])('a Connection with %j may be used from %j: %j', (allowed, namespace, may) => {
  expect(mayUse(connection(allowed), namespace)).toBe(may);
});
