import { connectionHash } from '@hawser/kubeconfig';
import { expect, it } from '@jest/globals';

import { type Destinations, createDestinations } from './destinations.js';

const kubeconfig = ({
  server = 'https://provider.example.com',
  token = 'first',
  namespace = 'cluster-x',
  more = '',
} = {}): string =>
  Buffer.from(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace } }],
      clusters: [{ name: 'k', cluster: { server } }],
      users: [{ name: 'u', user: { token } }],
    }) + more,
  ).toString('base64');
const used = kubeconfig();
const open = (): Destinations =>
  createDestinations(
    {
      hash: connectionHash(Buffer.from(used, 'base64')),
      config: { server: 'https://provider.example.com', credentials: { kind: 'token', token: 'first' } },
      clusterNamespace: 'cluster-x',
    },
    {},
  );

it.each<[string, string, boolean]>([
  ['the one that is used', used, false],
  ['another token for the same place', kubeconfig({ token: 'second' }), false],
  ['the same place, written otherwise', kubeconfig({ server: 'https://provider.example.com:443/' }), false],
  ['garbage', Buffer.from('garbage').toString('base64'), false],
  ['nothing', '', false],
  ['another server', kubeconfig({ server: 'https://other.example.com' }), true],
  ['another consumer of the same provider', kubeconfig({ namespace: 'cluster-y' }), true],
])('%s', (_, value, isOther) => {
  expect(open().isOtherDestination(value)).toBe(isOther);
});

it('does not take for elsewhere what the provider hands out, or has handed out by mistake', () => {
  const destinations = open();
  const mistake = kubeconfig({ server: 'https://mistake.example.com' });
  destinations.handedOut(mistake);
  destinations.handedOut(kubeconfig());
  expect(destinations.isOtherDestination(mistake)).toBe(false);
  expect(destinations.isOtherDestination(kubeconfig({ server: 'https://mistake.example.com', token: 'second' }))).toBe(
    false,
  );
  expect(destinations.isOtherDestination(kubeconfig({ server: 'https://other.example.com' }))).toBe(true);
});
