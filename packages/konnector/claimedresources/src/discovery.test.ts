import type { GroupResource } from '@hawser/kube-bind';
import { expect, it } from '@jest/globals';

import { type Served, type ServedVersion, judge } from './discovery.js';

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const in1 = (version: string, more: Partial<ServedVersion> = {}): ServedVersion => ({
  version,
  namespaced: true,
  verbs: ALL,
  ...more,
});
const things: GroupResource = { group: 'example.com', resource: 'things' };

it.each<[string, GroupResource, Served, string]>([
  ['served by both', things, { consumer: [in1('v1')], provider: [in1('v1')] }, 'v1'],
  [
    "in the first version of the consumer's that the provider has",
    things,
    { consumer: [in1('v2'), in1('v1')], provider: [in1('v1beta1'), in1('v1')] },
    'v1',
  ],
  ['of the core group', { resource: 'services' }, { consumer: [in1('v1')], provider: [in1('v1')] }, 'v1'],
  ['missing on the consumer', things, { consumer: [], provider: [in1('v1')] }, 'ClaimedResourceMissing operator'],
  ['missing on the provider', things, { consumer: [in1('v1')], provider: [] }, 'ClaimedResourceMissing provider'],
  [
    'without a common version',
    things,
    { consumer: [in1('v2')], provider: [in1('v1')] },
    'ClaimedResourceMissing operator',
  ],
  [
    'cluster-scoped',
    things,
    { consumer: [in1('v1', { namespaced: false })], provider: [in1('v1', { namespaced: false })] },
    'ClaimNotSupported provider',
  ],
  [
    'cluster-scoped on one side',
    things,
    { consumer: [in1('v1')], provider: [in1('v1', { namespaced: false })] },
    'ClaimNotSupported provider',
  ],
  [
    'what can only be created',
    { group: 'authorization.k8s.io', resource: 'localsubjectaccessreviews' },
    { consumer: [in1('v1', { verbs: ['create'] })], provider: [in1('v1', { verbs: ['create'] })] },
    'ClaimNotSupported provider',
  ],
  ...[
    'rbac.authorization.k8s.io',
    'coordination.k8s.io',
    'kube-bind.io',
    'example-backend.kube-bind.io',
    'klutch.anynines.com',
  ].map((group): [string, GroupResource, Served, string] => [
    `of group ${group}`,
    { group, resource: 'roles' },
    { consumer: [in1('v1')], provider: [in1('v1')] },
    'ClaimNotSupported provider',
  ]),
])('whether a resource can be claimed: %s', (_, resource, served, expected) => {
  const answer = judge(resource, served);
  expect(
    answer.kind === 'claimable' ? answer.resource.version : `${answer.problem.reason} ${answer.problem.actor}`,
  ).toBe(expected);
});
