import { ApiError } from '@hawser/client';
import { expect, it } from '@jest/globals';

import { refusalProblem } from './refused-right.js';

const refused = (
  cluster: 'consumer' | 'provider',
  message: string,
  code: 'Forbidden' | 'Unauthorized' = 'Forbidden',
): ApiError =>
  new ApiError(code, message, { cluster, verb: 'list', resource: 'databases.example.com', namespace: 'x' });
const words = { consequence: 'No object is synced until then.', chart: 'boundResources' } as const;

it.each([
  [
    'a right on the provider',
    'provider',
    'databases is forbidden',
    'provider',
    'The provider must grant this right: `hawser rbac --roles provider | kubectl apply -f -`.',
  ],
  [
    'a right on the consumer',
    'consumer',
    'databases is forbidden',
    'operator',
    'The operator must grant this right: `hawser rbac --side consumer | kubectl apply -f -`, or boundResources of the chart.',
  ],
  ['a quota', 'provider', 'exceeded quota: small', 'provider', 'The provider must raise the quota.'],
  [
    'an admission',
    'consumer',
    'admission webhook "a.example.com" denied the request',
    'operator',
    'The operator must let the konnector do that, as by an exception in the admission webhook or policy that the message names.',
  ],
] as const)(
  'says of %s what was refused, what does not work, who acts, and how',
  (_, side, serverMessage, actor, remedy) => {
    const reason = side === 'provider' ? 'ForbiddenByProvider' : 'ForbiddenOnConsumer';
    expect(refusalProblem(refused(side, serverMessage), side, words)).toEqual({
      reason,
      actor,
      message: `Cannot list databases.example.com in namespace "x" on the ${side}: ${serverMessage}. No object is synced until then. ${remedy}`,
    });
  },
);

it('asks for a credential where the server does not know it, and counts what is refused alike', () => {
  expect(
    refusalProblem(refused('provider', 'Unauthorized', 'Unauthorized'), 'provider', { ...words, more: 2 }).message,
  ).toBe(
    'Cannot list databases.example.com in namespace "x" on the provider: Unauthorized. The same goes for 2 more namespaces. No object is synced until then. The provider must renew the credential of this consumer.',
  );
});
