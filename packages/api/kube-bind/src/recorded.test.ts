import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@hawser/client';
import { parse } from '@hawser/json';
import { crdFromBoundSchema } from './convert/bound-schema-to-crd.js';
import { isOwnedByBinding } from './convert/ownership.js';
import { setSummary } from './conditions/summary.js';
import { exportHash, schemaHash } from './hash/schema-hash.js';
import { allKinds, type Kind } from './kinds/all-kinds.js';
import type { APIServiceBinding } from './kinds/api-service-binding.js';
import type { APIServiceExport } from './kinds/api-service-export.js';
import type { APIServiceNamespace } from './kinds/api-service-namespace.js';
import type { BoundSchema } from './kinds/bound-schema.js';
import type { ClusterBinding } from './kinds/cluster-binding.js';
import type { CustomResourceDefinition } from '@hawser/crd';
import { annotations } from './metadata.js';
import { clusterNamespaceName, fixedNames, resourceGroupName, serviceNamespaceName } from './names.js';
import { bindingOwnerReference, exportOwnerReference } from './owner-reference.js';
import { parseDuration } from './duration.js';
import { parseTime } from './time.js';
import { validate } from './validate.js';

// Objects that the Go programs left behind.
const recordings = join(import.meta.dirname, '../../../testing/testenv/recorded');
const folders = readdirSync(recordings).filter((name) => name.startsWith('kube-bind-'));

type Cluster = Readonly<Record<string, readonly KubeObject[]>>;

function load(folder: string, side: 'consumer' | 'provider'): Cluster {
  return parse(readFileSync(join(recordings, folder, `${side}.json`), 'utf8')) as unknown as Cluster;
}

function items<T extends KubeObject>(cluster: Cluster, plural: string): readonly T[] {
  const path = Object.keys(cluster).find((key) => key.endsWith(`/${plural}`));
  return (path === undefined ? [] : (cluster[path] ?? [])) as readonly T[];
}

describe.each(folders)('%s', (folder) => {
  const provider = load(folder, 'provider');
  const consumer = load(folder, 'consumer');
  const schemas = items<BoundSchema>(provider, 'boundschemas');
  const exports = items<APIServiceExport>(provider, 'apiserviceexports');
  const bindings = items<APIServiceBinding>(consumer, 'apiservicebindings');
  const clusterNamespace = items<ClusterBinding>(provider, 'clusterbindings')[0]?.metadata.namespace ?? '';

  it('has something to compare with', () => {
    expect(schemas.length).toBeGreaterThan(0);
    expect(exports.length).toBeGreaterThan(0);
    expect(bindings.length).toBeGreaterThan(0);
  });

  it('schema hashes are reproduced', () => {
    for (const schema of schemas)
      expect(schemaHash(schema.spec!)).toBe(schema.metadata.annotations?.[annotations.sourceSpecHash]);
  });

  it('export hashes are reproduced', () => {
    for (const item of exports) {
      const specs = item.spec.resources.map(
        (resource) => schemas.find(({ metadata }) => metadata.name === resourceGroupName(resource))!.spec!,
      );
      expect(exportHash(specs)).toBe(item.metadata.annotations?.[annotations.sourceSpecHash]);
    }
  });

  it('names are those of the rules', () => {
    for (const binding of items<ClusterBinding>(provider, 'clusterbindings')) {
      expect(binding.metadata.name).toBe(fixedNames.clusterBinding);
      expect(binding.metadata.namespace).toBe(
        clusterNamespaceName('kube-bind-', binding.metadata.annotations?.[annotations.identity] ?? ''),
      );
    }
    for (const { metadata, status } of items<APIServiceNamespace>(provider, 'apiservicenamespaces')) {
      const isolation = exports[0]!.spec.isolation;
      expect(status?.namespace).toBe(serviceNamespaceName(isolation, clusterNamespace, metadata.name));
    }
  });

  it('consumer CRDs are what a BoundSchema converts to, but for what the server adds', () => {
    for (const crd of items<CustomResourceDefinition>(consumer, 'customresourcedefinitions').filter(
      ({ spec }) => spec.group === 'example.com',
    )) {
      const schema = schemas.find(({ metadata }) => metadata.name === crd.metadata.name)!;
      const [binding] = bindings.filter(({ status }) =>
        status?.boundSchemas?.some((bound) => resourceGroupName(bound) === crd.metadata.name),
      );
      const converted = crdFromBoundSchema(schema, bindingOwnerReference(binding!));
      expect(converted.metadata.name).toBe(crd.metadata.name);
      expect(converted.metadata.ownerReferences).toEqual(crd.metadata.ownerReferences);
      expect(crd.spec).toMatchObject({ ...converted.spec });
      expect(isOwnedByBinding(crd, binding!)).toBe(true);
      expect(isOwnedByBinding(crd, { metadata: { ...binding!.metadata, uid: 'another-uid' } })).toBe(false);
    }
  });

  it('BoundSchemas are owned as ours would be', () => {
    for (const { metadata } of schemas) {
      const owner = exports.find(({ metadata: { name } }) => name === metadata.ownerReferences?.[0]?.name)!;
      expect(metadata.ownerReferences).toEqual([exportOwnerReference(owner)]);
    }
  });

  it('summing up the recorded conditions changes nothing', () => {
    for (const binding of bindings) {
      const conditions = binding.status?.conditions;
      expect(conditions?.length).toBeGreaterThan(0);
      expect(setSummary(conditions, 0)).toBe(conditions);
    }
  });

  it('times and intervals are read', () => {
    const [binding] = items<ClusterBinding>(provider, 'clusterbindings');
    expect(parseTime(binding!.status?.lastHeartbeatTime)).toBeGreaterThan(0);
    expect(parseDuration(binding!.status?.heartbeatInterval ?? '')).toBe(300_000);
  });

  it('every object is valid', () => {
    const ours = [...Object.values(provider), ...Object.values(consumer)]
      .flat()
      .filter(({ apiVersion }) => apiVersion === 'kube-bind.io/v1alpha2');
    expect(ours.length).toBeGreaterThan(8);
    for (const object of ours) {
      expect(Object.keys(allKinds)).toContain(object.kind);
      expect(validate(object.kind as Kind, object)).toEqual([]);
    }
  });
});
