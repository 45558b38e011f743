import { ApiError } from '@hawser/client';
import { refusedClaim } from '@hawser/claimedresources';
import { decideConditions } from '@hawser/konnector-main';
import { falseCondition, setCondition } from '@hawser/kube-bind';
import { unreadableProblem } from '@hawser/konnector-sync';
import { expect, it } from '@jest/globals';

import { objectsInSync } from '../../../konnector/apiserviceexport/src/objects-in-sync.js';
import { findingOf, unlisted } from './finding.js';
import { NEXT_LIST } from './next-try.js';

const binding = {
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name: 'shop', uid: 'b' },
  spec: { kubeconfigSecretRef: { namespace: 'kube-bind', name: 'kc', key: 'kubeconfig' } },
} as const;
const refused = (side: 'consumer' | 'provider'): ApiError =>
  new ApiError('Forbidden', 'zones is forbidden', { cluster: side, verb: 'list', resource: 'zones.example.com' });

it.each(['consumer', 'provider'] as const)(
  '`why` says of a right that is missing on the %s what the condition of the binding says, and names the same actor',
  (side) => {
    const problem = unreadableProblem(refused(side), side);
    const status = objectsInSync({}, { resources: [{ ...problem, resource: 'zones.example.com' }], objects: [] }, 0);
    const finding = unlisted(refused(side));
    expect(finding).toMatchObject({
      reason: problem.reason,
      actor: problem.actor,
      message: `${problem.message} ${NEXT_LIST}`,
    });
    expect(status.conditions?.find(({ type }) => type === 'ObjectsInSync')).toMatchObject({
      reason: finding.reason,
      message: `zones.example.com: ${finding.reason}: ${problem.message}`,
    });
  },
);

it.each(['consumer', 'provider'] as const)('of claimed objects, too, on the %s', (side) => {
  const problem = refusedClaim(refused(side), side);
  expect(unlisted(refused(side), 'claimed')).toMatchObject({
    reason: problem.reason,
    actor: problem.actor,
    message: `${problem.message} ${NEXT_LIST}`,
  });
});

it('says of garbage in the Secret what the konnector said, which alone knows that it repairs it', () => {
  const observed = {
    ref: { namespace: 'kube-bind', name: 'kc', key: 'kubeconfig' },
    secret: { kind: 'invalid', problem: 'It is not YAML.' },
  } as const;
  const [byKonnector] = decideConditions({ ...observed, connection: { serves: false }, served: true });
  const [fromOutside] = decideConditions({ ...observed, connection: undefined, served: false });
  if (byKonnector === undefined || fromOutside === undefined) throw new Error('Nothing is said.');
  const reported = { ...binding, status: { conditions: [...setCondition([], byKonnector, 0)] } };
  expect(findingOf(fromOutside, reported)).toMatchObject({
    message: byKonnector.message,
    reason: byKonnector.reason,
    actor: 'consumer',
  });
  expect(byKonnector.message).toContain('by itself');
  const another = {
    ...binding,
    status: {
      conditions: [
        ...setCondition([], falseCondition('SecretValid', 'KubeconfigSecretNotFound', 'Error', 'It is gone.'), 0),
      ],
    },
  };
  expect(findingOf(fromOutside, another).message).toBe(fromOutside.message);
});
