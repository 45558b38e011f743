import { cases, table } from '../case.js';
import { coreEvent, lease, namespace, secret, serviceAccount } from './objects.js';

export const secretCases = cases('secrets', {
  async 'Opaque is the type of one without'(api) {
    await api.create(api.path('secrets'), secret('one', { data: { key: 'dmFsdWU=' } }));
  },
  async 'stringData becomes data'(api) {
    await api.create(
      api.path('secrets'),
      secret('one', { data: { kept: 'YQ==', over: 'YQ==' }, stringData: { over: 'written', more: 'ä' } }),
    );
    await api.patch('merge', api.path('secrets', 'one'), { stringData: { more: 'changed' } });
    await api.patch('strategic', api.path('secrets', 'one'), { stringData: { most: 'new' }, data: { kept: null } });
  },
  async 'data that is no base64'(api) {
    await api.create(api.path('secrets'), secret('one', { data: { key: 'not base64!' } }));
  },
  async 'data that is no string'(api) {
    await api.create(api.path('secrets'), secret('one', { data: { key: 7 } }));
  },
  async 'empty and null values'(api) {
    await api.create(api.path('secrets'), secret('one', { data: { empty: '', nothing: null } }));
  },
  async 'keys that are not allowed'(api) {
    await api.create(api.path('secrets'), secret('one', { data: { 'a/b': 'YQ==', 'ok_key.x-y': 'YQ==' } }));
  },
  async 'the type cannot change'(api) {
    await api.quietly.create(api.path('secrets'), secret('one', { type: 'example.com/mine' }));
    await api.replace(api.path('secrets', 'one'), secret('one', { type: 'Opaque' }));
    await api.replace(api.path('secrets', 'one'), secret('one'));
    await api.patch('merge', api.path('secrets', 'one'), { type: 'other' });
  },
  async 'an immutable one'(api) {
    await api.create(api.path('secrets'), secret('one', { immutable: true, data: { key: 'YQ==' } }));
    await api.patch('merge', api.path('secrets', 'one'), { data: { key: 'Yg==' } });
    await api.patch('merge', api.path('secrets', 'one'), { immutable: false });
    await api.patch('merge', api.path('secrets', 'one'), { metadata: { labels: { a: 'b' } } });
  },
  async 'more than a MiB'(api) {
    await api.create(api.path('secrets'), secret('one', { stringData: { key: 'x'.repeat(1_048_577) } }));
  },
  async 'selecting by type'(api) {
    await api.quietly.create(api.path('secrets'), secret('one', { type: 'example.com/mine' }));
    await api.quietly.create(api.path('secrets'), secret('two'));
    await api.get(api.path('secrets'), { query: { fieldSelector: 'type=example.com/mine' } });
    await api.get(api.path('secrets'), { query: { fieldSelector: 'type!=example.com/mine,metadata.name=two' } });
    await api.get(api.path('secrets'), { query: { fieldSelector: 'data=x' } });
  },
});

const requiredKeys = {
  'kubernetes.io/tls': [{}, { data: { 'tls.crt': '', 'tls.key': '' } }],
  'kubernetes.io/dockerconfigjson': [
    {},
    { stringData: { '.dockerconfigjson': 'no json' } },
    { stringData: { '.dockerconfigjson': '{}' } },
  ],
  'kubernetes.io/dockercfg': [{}, { stringData: { '.dockercfg': '[]' } }],
  'kubernetes.io/basic-auth': [{}, { stringData: { username: 'a' } }],
  'kubernetes.io/ssh-auth': [{}, { stringData: { 'ssh-privatekey': 'a' } }],
  'kubernetes.io/service-account-token': [{}],
  'bootstrap.kubernetes.io/token': [{}],
} as const;

const typed = Object.fromEntries(Object.entries(requiredKeys).map(([type, variants]) => [type, { type, variants }]));

export const secretTypeCases = cases(
  'secrets by type',
  table(typed, async (api, { type, variants }) => {
    for (const [index, fields] of variants.entries())
      await api.create(api.path('secrets'), secret(`s${index}`, { type, ...fields }));
  }),
);

export const namespaceCases = cases('namespaces', {
  async 'a created one has a name label, a finalizer in its spec, and a phase'(api) {
    await api.create('/api/v1/namespaces', namespace(`${api.id}-a`, { labels: { of: api.id } }));
    await api.get(`/api/v1/namespaces/${api.id}-a`);
    await api.get('/api/v1/namespaces', { query: { labelSelector: `of=${api.id}` } });
    await api.get('/api/v1/namespaces', { query: { labelSelector: `kubernetes.io/metadata.name=${api.id}-a` } });
  },
  async 'the name label comes back'(api) {
    await api.patch('merge', `/api/v1/namespaces/${api.id}`, {
      metadata: { labels: { 'kubernetes.io/metadata.name': null, other: 'one' } },
    });
    await api.patch('merge', `/api/v1/namespaces/${api.id}`, {
      metadata: { labels: { 'kubernetes.io/metadata.name': 'wrong' } },
    });
  },
  async 'creating it again'(api) {
    await api.create('/api/v1/namespaces', namespace(api.id));
  },
  async 'status is not taken from a create'(api) {
    await api.create('/api/v1/namespaces', {
      ...namespace(`${api.id}-a`),
      spec: { finalizers: ['example.com/one'] },
      status: { phase: 'Terminating' },
    });
  },
  async 'a spec finalizer without a domain'(api) {
    await api.create('/api/v1/namespaces', { ...namespace(`${api.id}-a`), spec: { finalizers: ['plain'] } });
  },
  async 'replacing does not change spec.finalizers'(api) {
    await api.replace(`/api/v1/namespaces/${api.id}`, {
      ...namespace(api.id, { annotations: { a: 'b' } }),
      spec: { finalizers: [] },
    });
  },
  async 'the status subresource'(api) {
    const { object } = await api.get(`/api/v1/namespaces/${api.id}/status`);
    await api.replace(`/api/v1/namespaces/${api.id}/status`, {
      ...object,
      status: {
        phase: 'Active',
        conditions: [
          {
            type: 'Tested',
            status: 'True',
            reason: 'Because',
            message: 'so',
            lastTransitionTime: '2020-01-01T00:00:00Z',
          },
        ],
      },
    });
    await api.patch('merge', `/api/v1/namespaces/${api.id}/status`, {
      metadata: { labels: { a: 'b' } },
      status: { phase: 'Terminating' },
    });
    await api.get(`/api/v1/namespaces/${api.id}`);
  },
  async 'selecting by name and by phase'(api) {
    await api.get('/api/v1/namespaces', { query: { fieldSelector: `metadata.name=${api.id},status.phase=Active` } });
    await api.get('/api/v1/namespaces', { query: { fieldSelector: `metadata.name=${api.id},status.phase!=Active` } });
    await api.get('/api/v1/namespaces', { query: { fieldSelector: 'spec.finalizers=a' } });
  },
  async 'collections of namespaces cannot be deleted'(api) {
    await api.delete('/api/v1/namespaces', undefined, { query: { labelSelector: `nobody=${api.id}` } });
  },
  async 'a namespace of a namespace is not a thing'(api) {
    await api.get(`/api/v1/namespaces/${api.id}/namespaces`);
    await api.get(`/api/v1/namespaces/${api.id}/namespaces/x`);
  },
  async 'the finalize subresource'(api) {
    await api.quietly.create('/api/v1/namespaces', {
      ...namespace(`${api.id}-a`),
      spec: { finalizers: ['example.com/one'] },
    });
    await api.replace(`/api/v1/namespaces/${api.id}-a/finalize`, {
      ...namespace(`${api.id}-a`),
      spec: { finalizers: ['kubernetes', 'example.com/two'] },
    });
    await api.get(`/api/v1/namespaces/${api.id}-a`);
  },
});

export const serviceAccountCases = cases('serviceaccounts', {
  async 'create, read, list, delete'(api) {
    await api.create(api.path('serviceaccounts'), serviceAccount('one'));
    await api.get(api.path('serviceaccounts', 'one'));
    await api.get(api.path('serviceaccounts'), { query: { fieldSelector: 'metadata.name=one' } });
    await api.delete(api.path('serviceaccounts', 'one'));
    await api.get(api.path('serviceaccounts', 'one'));
  },
  async 'secrets, imagePullSecrets and automount'(api) {
    await api.create(
      api.path('serviceaccounts'),
      serviceAccount('one', {
        secrets: [{ name: 'a' }],
        imagePullSecrets: [{ name: 'b' }],
        automountServiceAccountToken: false,
      }),
    );
    await api.patch('strategic', api.path('serviceaccounts', 'one'), {
      secrets: [{ name: 'c' }],
      imagePullSecrets: [{ name: 'd' }],
    });
    await api.patch('merge', api.path('serviceaccounts', 'one'), { secrets: [{ name: 'only' }] });
  },
  async replacing(api) {
    await api.quietly.create(
      api.path('serviceaccounts'),
      serviceAccount('one', { automountServiceAccountToken: true }),
    );
    await api.replace(api.path('serviceaccounts', 'one'), serviceAccount('one'));
  },
});

export const eventCases = cases('events', {
  async 'create, read, list, delete'(api) {
    await api.create(api.path('events'), coreEvent('one', api.namespace));
    await api.get(api.path('events', 'one'));
    await api.get(api.path('events'));
    await api.delete(api.path('events', 'one'));
    await api.get(api.path('events', 'one'));
  },
  async 'a count that rises'(api) {
    await api.quietly.create(api.path('events'), coreEvent('one', api.namespace));
    await api.patch('merge', api.path('events', 'one'), { count: 2, lastTimestamp: '2020-01-01T00:00:01Z' });
    await api.patch('strategic', api.path('events', 'one'), { count: 3, message: 'again' });
    await api.replace(api.path('events', 'one'), coreEvent('one', api.namespace, { count: 4 }));
  },
  async 'the involved object must be in the namespace of the event'(api) {
    await api.create(
      api.path('events'),
      coreEvent('one', api.namespace, { involvedObject: { kind: 'ConfigMap', namespace: 'other', name: 'a' } }),
    );
  },
  async 'a cluster-scoped involved object belongs to default'(api) {
    await api.create(
      api.path('events'),
      coreEvent('one', api.namespace, { involvedObject: { kind: 'Namespace', name: 'a', apiVersion: 'v1' } }),
    );
  },
  async 'field selectors of events'(api) {
    await api.quietly.create(api.path('events'), coreEvent('one', api.namespace, { reason: 'One', type: 'Warning' }));
    await api.quietly.create(
      api.path('events'),
      coreEvent('two', api.namespace, {
        involvedObject: {
          kind: 'Secret',
          namespace: api.namespace,
          name: 'two',
          uid: '11111111-1111-1111-1111-111111111111',
        },
      }),
    );
    for (const fieldSelector of [
      'reason=One',
      'type=Warning',
      'involvedObject.kind=Secret',
      'involvedObject.name=two',
      'involvedObject.uid=11111111-1111-1111-1111-111111111111',
      'source=conformance',
      'reportingComponent=x',
      'message=it',
    ]) {
      await api.get(api.path('events'), { query: { fieldSelector } });
    }
  },
  async 'the events.k8s.io form needs more'(api) {
    const fields = {
      eventTime: '2020-01-01T00:00:00.000000Z',
      involvedObject: { kind: 'ConfigMap', namespace: api.namespace, name: 'a' },
    };
    await api.create(api.path('events'), { metadata: { name: 'one' }, ...fields });
    await api.create(api.path('events'), {
      metadata: { name: 'one' },
      ...fields,
      reason: 'R',
      action: 'A',
      type: 'Normal',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i',
    });
  },
  async 'with a series'(api) {
    await api.create(
      api.path('events'),
      coreEvent('one', api.namespace, { series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.123456Z' } }),
    );
  },
});

export const leaseCases = cases('leases', {
  async 'create, renew, release'(api) {
    await api.create(
      api.path('leases'),
      lease('one', {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        acquireTime: '2020-01-01T00:00:00.000000Z',
        renewTime: '2020-01-01T00:00:00.123456Z',
        leaseTransitions: 0,
      }),
    );
    const { object, resourceVersion } = await api.get(api.path('leases', 'one'));
    await api.replace(api.path('leases', 'one'), {
      ...object,
      spec: { holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:10.1Z', leaseTransitions: 1 },
    });
    await api.replace(api.path('leases', 'one'), {
      ...lease('one', { holderIdentity: 'c' }),
      metadata: { name: 'one', resourceVersion },
    });
    await api.delete(api.path('leases', 'one'));
  },
  async 'without a spec'(api) {
    await api.create(api.path('leases'), {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'one' },
    });
  },
  ...table(
    {
      'a duration of zero': { leaseDurationSeconds: 0 },
      'a negative duration': { leaseDurationSeconds: -1 },
      'negative transitions': { leaseTransitions: -1 },
      'an empty holder': { holderIdentity: '' },
      'a time without fractions': { renewTime: '2020-01-01T00:00:00Z' },
      'a time with a zone': { renewTime: '2020-01-01T02:00:00.5+02:00' },
      'a time with nanoseconds': { renewTime: '2020-01-01T00:00:00.123456789Z' },
      'a malformed time': { renewTime: 'yesterday' },
      'a duration that is no number': { leaseDurationSeconds: '15' },
      'a duration beyond 32 bits': { leaseDurationSeconds: 2 ** 40 },
      'a strategy': { holderIdentity: 'a', strategy: 'OldestEmulationVersion' },
    },
    async (api, spec) => {
      await api.create(api.path('leases'), lease('one', spec));
    },
  ),
});
