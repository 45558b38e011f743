import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@hawser/json';
import { metaOf } from '../object/meta.js';
import { MemoryHost } from '../testing/memory-host.js';
import { clusterRoleAggregation } from './cluster-role-aggregation.js';
import { namespaceController } from './namespace-controller.js';
import { defaultServiceAccounts, rootCertificates } from './namespace-defaults.js';
import { clusterRoles, configMaps, namespaces, serviceAccounts } from './resources.js';

const namespace = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const configMap = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'n', ...metadata },
});

let host: MemoryHost;
beforeEach(() => {
  host = new MemoryHost();
});

describe('namespace controller', () => {
  const key = { namespace: '', name: 'n' };
  const conditions = (): readonly JsonObject[] =>
    ((host.get(namespaces, key)?.['status'] as JsonObject)['conditions'] ?? []) as readonly JsonObject[];

  beforeEach(() => {
    host.create(namespaces, namespace('n'));
    namespaceController(host).start();
  });

  it('empties a namespace and lets it go', async () => {
    host.create(configMaps, configMap('a'));
    host.create(serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: 'n' },
    });
    host.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'other' } });
    host.delete(namespaces, key);
    await host.settle();
    expect(host.get(namespaces, key)).toBeUndefined();
    expect(host.list(configMaps).map((object) => metaOf(object).namespace)).toEqual(['other']);
    expect(host.reported).toEqual([]);
  });

  it('says what is left, and goes on when it has gone', async () => {
    const held = host.create(configMaps, configMap('held', { finalizers: ['example.com/wait'] }));
    host.delete(namespaces, key);
    await host.settle();
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    expect(conditions()).toEqual([
      {
        type: 'NamespaceDeletionDiscoveryFailure',
        status: 'False',
        reason: 'ResourcesDiscovered',
        message: 'All resources successfully discovered',
        lastTransitionTime,
      },
      {
        type: 'NamespaceDeletionGroupVersionParsingFailure',
        status: 'False',
        reason: 'ParsedGroupVersions',
        message: 'All legacy kube types successfully parsed',
        lastTransitionTime,
      },
      {
        type: 'NamespaceDeletionContentFailure',
        status: 'False',
        reason: 'ContentDeleted',
        message: 'All content successfully deleted, may be waiting on finalization',
        lastTransitionTime,
      },
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        reason: 'SomeResourcesRemain',
        message: 'Some resources are remaining: configmaps. has 1 resource instances',
        lastTransitionTime,
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        reason: 'SomeFinalizersRemain',
        message: 'Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances',
        lastTransitionTime,
      },
    ]);
    const version = metaOf(host.get(namespaces, key) ?? {}).resourceVersion;
    await host.clock.advance(60_000);
    expect(metaOf(host.get(namespaces, key) ?? {}).resourceVersion).toBe(version);
    const current = host.get(configMaps, { namespace: 'n', name: 'held' }) ?? held;
    host.update(configMaps, { ...current, metadata: { ...metaOf(current), finalizers: [] } });
    await host.settle();
    expect(host.get(namespaces, key)).toBeUndefined();
  });
});

describe('what every namespace has', () => {
  it('is put there, put back, and not put into one that is being deleted', async () => {
    host.authority = 'PEM';
    defaultServiceAccounts(host).start();
    rootCertificates(host).start();
    host.create(namespaces, namespace('n'));
    await host.settle();
    expect(host.get(serviceAccounts, { namespace: 'n', name: 'default' })).toBeDefined();
    expect(host.get(configMaps, { namespace: 'n', name: 'kube-root-ca.crt' })?.['data']).toEqual({ 'ca.crt': 'PEM' });
    host.delete(serviceAccounts, { namespace: 'n', name: 'default' });
    host.update(configMaps, {
      ...(host.get(configMaps, { namespace: 'n', name: 'kube-root-ca.crt' }) ?? {}),
      data: {},
    });
    await host.settle();
    expect(host.get(serviceAccounts, { namespace: 'n', name: 'default' })).toBeDefined();
    expect(host.get(configMaps, { namespace: 'n', name: 'kube-root-ca.crt' })?.['data']).toEqual({ 'ca.crt': 'PEM' });
    host.delete(namespaces, { namespace: '', name: 'n' });
    host.delete(serviceAccounts, { namespace: 'n', name: 'default' });
    await host.settle();
    expect(host.get(serviceAccounts, { namespace: 'n', name: 'default' })).toBeUndefined();
  });

  it('has no certificate where the server has none', async () => {
    rootCertificates(host).start();
    host.create(namespaces, namespace('n'));
    await host.settle();
    expect(host.list(configMaps)).toEqual([]);
  });
});

describe('aggregated ClusterRoles', () => {
  const rule = (resource: string): JsonObject => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
  const role = (name: string, more: JsonObject, labels: JsonObject = {}): JsonObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels },
    ...more,
  });
  const rulesOf = (name: string): unknown => host.get(clusterRoles, { namespace: '', name })?.['rules'];

  it('have the rules of those that their selectors select, each once, by name', async () => {
    clusterRoleAggregation(host).start();
    host.create(
      clusterRoles,
      role('all', {
        aggregationRule: {
          clusterRoleSelectors: [
            { matchLabels: { part: 'yes' } },
            { matchExpressions: [{ key: 'other', operator: 'In', values: ['x'] }] },
          ],
        },
        rules: [],
      }),
    );
    host.create(clusterRoles, role('b', { rules: [rule('pods'), rule('secrets')] }, { part: 'yes' }));
    host.create(clusterRoles, role('a', { rules: [rule('secrets')] }, { part: 'yes' }));
    host.create(clusterRoles, role('c', { rules: [rule('events')] }, { other: 'x' }));
    host.create(clusterRoles, role('d', { rules: [rule('nodes')] }, { part: 'no' }));
    await host.settle();
    expect(rulesOf('all')).toEqual([rule('secrets'), rule('pods'), rule('events')]);
    host.delete(clusterRoles, { namespace: '', name: 'b' });
    await host.settle();
    expect(rulesOf('all')).toEqual([rule('secrets'), rule('events')]);
  });
});

describe('work that fails', () => {
  it('is reported and tried again, later each time', async () => {
    defaultServiceAccounts(host).start();
    host.create(namespaces, namespace('n'));
    let failures = 0;
    const create = host.create.bind(host);
    host.create = (resource, object) => {
      failures++;
      if (failures <= 2) throw new Error('no');
      return create(resource, object);
    };
    await host.clock.advance(2500);
    expect(host.list(serviceAccounts)).toHaveLength(0);
    expect(host.reported).toHaveLength(2);
    await host.clock.advance(1000);
    expect(host.list(serviceAccounts)).toHaveLength(1);
  });
});
