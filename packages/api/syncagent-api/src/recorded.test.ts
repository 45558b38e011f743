import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { parse } from '@hawser/json';
import type { PublishedResource } from './kinds/published-resource.js';
import { annotations, labels } from './metadata.js';
import { relatedResourcesOf } from './related-resources.js';
import { identityAnnotations, identityLabels, identityOf, type RemoteIdentity } from './remote-identity.js';
import { carriedPart, decodeSnapshot, encodeSnapshot } from './snapshot.js';
import { stateKey, stateSecretLabels, stateSecretName } from './state.js';
import { validate } from './validate.js';

// Objects that the Go agent left behind.
const folder = join(import.meta.dirname, '../../../testing/testenv/recorded/api-syncagent-0.7.0');

type Cluster = Readonly<Record<string, readonly UnstructuredObject[]>>;
interface Secret extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

function load(name: string): Cluster {
  return parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as unknown as Cluster;
}

function items<T extends KubeObject>(cluster: Cluster, plural: string): readonly T[] {
  const path = Object.keys(cluster).find((key) => key.endsWith(`/${plural}`));
  return (path === undefined ? [] : (cluster[path] ?? [])) as unknown as readonly T[];
}

/** Items of a typed list come without apiVersion and kind. */
const core = (object: KubeObject, kind: string): UnstructuredObject => ({ ...object, apiVersion: 'v1', kind });

describe('what the Go agent left behind', () => {
  const service = load('service');
  const workspaces = new Map(
    ['kcp-a', 'kcp-b'].map((name): [string, Cluster] => {
      const cluster = load(name);
      return [items(cluster, 'logicalclusters')[0]?.metadata.annotations?.['kcp.io/cluster'] ?? '', cluster];
    }),
  );
  const primaries = [...workspaces].flatMap(([cluster, objects]) =>
    items<UnstructuredObject>(objects, 'manageddatabases').map((object) => ({
      cluster,
      object,
      identity: { cluster, namespace: object.metadata.namespace, name: object.metadata.name },
    })),
  );
  const secrets = items<Secret>(service, 'secrets').filter(
    ({ metadata }) => metadata.labels?.[labels.objectState] === 'true',
  );
  const published = items<PublishedResource>(service, 'publishedresources');

  /** Every object that the agent remembers something of, with the cluster it lives in: empty for the service cluster. */
  function sources(): readonly {
    readonly identity: RemoteIdentity;
    readonly object: UnstructuredObject;
    readonly primary: boolean;
  }[] {
    const entry = (
      cluster: string,
      object: UnstructuredObject,
      primary = false,
    ): ReturnType<typeof sources>[number] => ({
      identity: { cluster, namespace: object.metadata.namespace, name: object.metadata.name },
      object,
      primary,
    });
    return [
      ...primaries.map(({ cluster, object }) => entry(cluster, object, true)),
      ...[...workspaces].flatMap(([cluster, objects]) =>
        items(objects, 'configmaps').map((object) => entry(cluster, core(object, 'ConfigMap'))),
      ),
      ...items(service, 'secrets')
        .filter(({ metadata }) => metadata.name === 'one-credentials')
        .map((object) => entry('', core(object, 'Secret'))),
    ];
  }

  it('has something to compare with', () => {
    expect(primaries).toHaveLength(3);
    expect(secrets).toHaveLength(3);
    expect(published).toHaveLength(2);
  });

  it('state Secrets have the names and labels of the rules', () => {
    const expected = primaries.map(({ identity, object: { apiVersion, kind } }) => [
      stateSecretName({ ...identity, apiVersion, kind }),
      stateSecretLabels(identity),
    ]);
    expect(new Map(secrets.map(({ metadata }) => [metadata.name, metadata.labels]))).toEqual(
      new Map(expected as [string, object][]),
    );
  });

  it('every key is that of an object, and every snapshot is what would be written of it now', () => {
    const known = new Map(
      sources().map(({ identity, object, primary }) => [
        stateKey(identity),
        encodeSnapshot(carriedPart(object, primary ? ['status'] : [])),
      ]),
    );
    const found = secrets.flatMap(({ data }) =>
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')] as const),
    );
    expect(found.length).toBe(7);
    for (const [key, text] of found) {
      expect([key, known.get(key)]).toEqual([key, text]);
      expect(encodeSnapshot(decodeSnapshot(text)!)).toBe(text);
    }
  });

  it('copies say whose they are, in the same labels and annotations', () => {
    const copies = items(service, 'databases');
    expect(copies).toHaveLength(3);
    for (const copy of copies) {
      const identity = identityOf(copy);
      expect(primaries.map((primary) => primary.identity)).toContainEqual(identity);
      expect(copy.metadata.labels).toMatchObject({ ...identityLabels(identity!), [labels.agentName]: 'lab' });
      expect(copy.metadata.annotations).toMatchObject(identityAnnotations(identity!));
    }
  });

  it('PublishedResources are valid, and their related resources are read', () => {
    for (const object of published) expect(validate(object)).toEqual([]);
    const related = published
      .flatMap(({ spec }) => spec.related ?? [])
      .map((entry) => relatedResourcesOf(entry).kcp.resource);
    expect(related).toEqual(['secrets', 'configmaps']);
  });

  it('the export and the schemas carry the name of the agent', () => {
    const provider = load('kcp-provider');
    for (const { metadata } of items(provider, 'apiresourceschemas')) {
      expect(metadata.labels?.[labels.agentName]).toBe('lab');
      expect(metadata.annotations).toMatchObject({
        [annotations.agentName]: 'lab',
        [annotations.sourceGeneration]: '1',
      });
    }
    expect(items(provider, 'apiexports')[0]?.metadata.annotations?.[annotations.agentName]).toBe('lab');
  });
});
