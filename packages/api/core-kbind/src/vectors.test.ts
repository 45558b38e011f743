import type { CustomResourceDefinition } from '@hawser/crd';
import { parse } from '@hawser/json';
import { isProtectedGroup } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import {
  annotations,
  connectionOf,
  consumerCRD,
  exportedAPIs,
  fieldManagers,
  finalizers,
  heartbeatLeaseName,
  labels,
  parseAPIName,
  schemaHash,
} from './index.js';

/** As Go writes it (spec/kbind-v2.md §12.3). */
const line =
  '{"group":"example.org","names":{"plural":"widgets","kind":"Widget"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{"name":"size","type":"string","jsonPath":".spec.size"}]}],"conversion":{"strategy":"None"}}';

describe('the contract', () => {
  it('names what it writes', () => {
    const { allowedNamespaces, objectSelector, servedBy, ...ofContract } = annotations;
    // Beyond the contract, so not in its group.
    expect([allowedNamespaces, objectSelector, servedBy]).toEqual([
      'hawser.dev/allowed-namespaces',
      'hawser.dev/object-selector',
      'hawser.dev/connection',
    ]);
    expect({ labels, annotations: ofContract, finalizers, fieldManagers }).toEqual({
      labels: { exported: 'core.kbind.io/exported', managed: 'core.kbind.io/managed' },
      annotations: {
        connection: 'core.kbind.io/connection',
        schemaHash: 'core.kbind.io/schema-hash',
        consumerClusterUID: 'core.kbind.io/consumer-cluster-uid',
        consumerObjectUID: 'core.kbind.io/consumer-object-uid',
        relatedBinding: 'core.kbind.io/related-binding',
        conflict: 'core.kbind.io/conflict',
        deletionPolicy: 'core.kbind.io/deletion-policy',
      },
      finalizers: { syncer: 'core.kbind.io/syncer', cleanup: 'core.kbind.io/cleanup' },
      fieldManagers: { objects: 'kbind-konnector', related: 'kbind-konnector-related' },
    });
    expect(heartbeatLeaseName('c1')).toBe('consumer-c1');
  });

  it('hashes a schema as the peers do', () => {
    const spec = parse(line) as unknown as CustomResourceDefinition['spec'];
    expect(schemaHash(spec)).toBe('sha256:d15a1f4c61cbbc46');
    expect(schemaHash({ ...spec, preserveUnknownFields: false })).toBe('sha256:d15a1f4c61cbbc46');
  });

  it.each([
    ['widgets.example.org', { resource: 'widgets', group: 'example.org' }],
    ['widgets.a.b.c', { resource: 'widgets', group: 'a.b.c' }],
    ['widgets', undefined],
    ['widgets.', undefined],
    ['.example.org', undefined],
  ])('reads %s', (name, parts) => {
    expect(parseAPIName(name)).toEqual(parts);
  });
});

const schema = { openAPIV3Schema: { type: 'object' } };

function provided(
  versions: CustomResourceDefinition['spec']['versions'],
  group = 'example.org',
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `widgets.${group}`,
      uid: 'u',
      resourceVersion: '7',
      labels: { [labels.exported]: 'true', team: 'a' },
      annotations: { 'api-approved.kubernetes.io': 'https://example.org', 'helm.sh/release': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }],
      finalizers: ['example.org/hold'],
    },
    spec: {
      group,
      names: { plural: 'widgets', kind: 'Widget' },
      scope: 'Namespaced',
      versions,
      conversion: { strategy: 'Webhook' },
    },
    status: { storedVersions: ['v1'] },
  };
}

const v = (name: string, served: boolean, storage: boolean): CustomResourceDefinition['spec']['versions'][number] => ({
  name,
  served,
  storage,
  schema,
});

describe('consumerCRD', () => {
  it('of a provider that converts has one version, no conversion, and nothing of the provider that is its own affair', () => {
    const made = consumerCRD(provided([v('v1', true, false), v('v2', true, true)]), 'demo');
    expect(made?.crd).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: 'widgets.example.org',
        labels: { 'core.kbind.io/managed': 'true' },
        annotations: {
          'api-approved.kubernetes.io': 'https://example.org',
          'core.kbind.io/connection': 'demo',
          'core.kbind.io/schema-hash': made?.hash,
        },
      },
      spec: {
        group: 'example.org',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        versions: [v('v2', true, true)],
        conversion: { strategy: 'None' },
      },
    });
    expect(made?.hash).toMatch(/^sha256:[0-9a-f]{16}$/u);
  });

  it.each([
    ['the stored version', [v('v1', true, false), v('v2', true, true)], 'v2'],
    ['the first that is served where the stored one is not', [v('v1', true, false), v('v2', false, true)], 'v1'],
    ['nothing where none is served', [v('v1', false, true)], undefined],
    ['nothing where no version has a schema', [{ name: 'v1', served: true, storage: true }], undefined],
  ])('takes %s', (_, versions, name) => {
    expect(consumerCRD(provided(versions), 'demo')?.crd.spec.versions.find(({ storage }) => storage)?.name).toBe(name);
  });

  it('of a provider that converts nothing has all versions that it serves, and those that are stored here', () => {
    const found = provided([v('v1', true, false), v('v2', true, true), v('v3', false, false)]);
    const plain = { ...found, spec: { ...found.spec, conversion: { strategy: 'None' } } };
    const made = consumerCRD(plain, 'demo');
    expect(made?.crd.spec.versions).toEqual([v('v1', true, false), v('v2', true, true)]);
    const live = provided([v('v0', true, true), v('v1', true, false)]);
    const with0 = consumerCRD(plain, 'demo', { ...live, status: { storedVersions: ['v0', 'v1'] } });
    expect(with0?.crd.spec.versions).toEqual([v('v1', true, false), v('v2', true, true), v('v0', true, false)]);
    expect(with0).toMatchObject({ hash: made?.hash, kept: ['v0'] });
  });

  it('belongs to its Connection', () => {
    const made = consumerCRD(provided([v('v1', true, true)]), 'demo');
    expect(made === undefined ? undefined : connectionOf(made.crd)).toBe('demo');
    expect(connectionOf(provided([v('v1', true, true)]))).toBeUndefined();
  });
});

describe('exportedAPIs', () => {
  it('lists what is served, by name, and no API that would steer the konnector or Kubernetes', () => {
    const crds = [
      provided([v('v1', true, false), v('v2', true, true)], 'z.example.org'),
      provided([v('v1', true, true)], 'a.example.org'),
      provided([v('v1', false, true)], 'none.example.org'),
      provided([v('v1', true, true)], 'core.kbind.io'),
      provided([v('v1', true, true)], 'gateway.networking.k8s.io'),
    ];
    expect(exportedAPIs(crds, isProtectedGroup)).toEqual([
      {
        name: 'widgets.a.example.org',
        group: 'a.example.org',
        resource: 'widgets',
        scope: 'Namespaced',
        versions: ['v1'],
      },
      {
        name: 'widgets.z.example.org',
        group: 'z.example.org',
        resource: 'widgets',
        scope: 'Namespaced',
        versions: ['v1', 'v2'],
      },
    ]);
  });
});
