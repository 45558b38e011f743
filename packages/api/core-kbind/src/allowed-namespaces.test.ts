import { expect, it } from '@jest/globals';
import { mayUse } from './allowed-namespaces.js';

const connection = (said?: string): Parameters<typeof mayUse>[0] => ({
  metadata: { name: 'demo', ...(said === undefined ? {} : { annotations: { 'hawser.dev/allowed-namespaces': said } }) },
});

it.each([
  [undefined, 'team-a', true],
  ['team-a, team-b', 'team-b', true],
  ['team-a,team-b', 'team', false],
  ['', 'team-a', false],
  ['', undefined, true],
])('a Connection with %j may be used from %j: %j', (said, namespace, may) => {
  expect(mayUse(connection(said), namespace)).toBe(may);
});
