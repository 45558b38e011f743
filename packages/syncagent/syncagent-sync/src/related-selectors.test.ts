import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Resource, UnstructuredObject } from '@hawser/client';
import { eventually, settled } from '@hawser/testenv';

import type { RelatedRule } from './rules.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, type Workspace, configMaps, namespaces, openInstallation } from './testing/installation.js';

describe('related objects that labels select', () => {
  let installation: Installation;
  let a: Workspace;
  let lists: string[];

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    ({ a } = installation.workspaces);
    lists = [];
  });
  afterEach(async () => {
    await installation.close();
  });

  /** Selects namespaces on the side of the originals, and takes `settings` of each. */
  const selecting = (origin: 'kcp' | 'service'): RelatedRule =>
    byReference('settings', origin, '', {
      resources: { kcp: configMaps, service: configMaps },
      async resolve({ kcp, service }, readers) {
        const { namespace = '' } = (origin === 'kcp' ? service : kcp).metadata;
        const found = await readers.list(namespaces, {
          labelSelector: 'settings=yes',
          matches: (labels) => labels['settings'] === 'yes',
        });
        const objects = await Promise.all(
          found.map(({ metadata: { name } }) => readers.get(configMaps, { namespace: name, name: 'settings' })),
        );
        return objects.flatMap((object) =>
          object === undefined
            ? []
            : [
                {
                  origin: { namespace: object.metadata.namespace, name: 'settings', object },
                  destination: { namespace, name: object.metadata.namespace ?? '' },
                },
              ],
        );
      },
    });
  const count = (
    { path, method }: { readonly path: string; readonly method: string },
    { resource, name }: { readonly resource?: string | undefined; readonly name?: string | undefined },
  ): undefined => {
    if (method === 'GET' && resource === 'namespaces' && (name ?? '') === '' && !path.includes('watch='))
      lists.push(path);
    return undefined;
  };
  const namespace = (name: string, labels = {}): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });

  it.each(['kcp', 'service'] as const)(
    'cost no list of namespaces for each object when a foreign one comes, on the side of %s',
    async (origin) => {
      const client = origin === 'kcp' ? a.client : installation.service;
      const at = async (name: string): Promise<UnstructuredObject | undefined> => {
        const other: Resource = configMaps;
        return origin === 'kcp'
          ? (await installation.service.list(other, { namespace: `copies-${a.cluster}` })).items.find(
              (each) => each.metadata.name === name,
            )
          : a.get({ namespace: 'default', name }, other);
      };
      const sync = await installation.startSync({ rules: { ...installation.rules, related: [selecting(origin)] } });
      const names = Array.from({ length: 10 }, (_each, index) => `one-${index}`);
      for (const name of names) await a.client.create(installation.kinds.kcp.resource, installation.object(name, {}));
      const inStep = (): Promise<void> =>
        eventually(() => {
          for (const name of names)
            expect(sync.why(`${a.cluster}|default/${name}`)).toEqual({
              verdict: { kind: 'inStep' },
              problem: undefined,
            });
        });
      await inStep();
      await eventually(() => {
        expect(sync.surveyed).toBe(true);
      });
      installation.server().setFaults(count);
      installation.kcp.kcp.setFaults(count);
      await client.create(namespaces, namespace('foreign'));
      await settled(() => Promise.resolve(lists));
      // One that is meant is found.
      await client.create(namespaces, namespace('meant', { settings: 'yes' }));
      await client.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: 'meant' },
        data: { a: 'b' },
      } as UnstructuredObject);
      await eventually(async () => {
        expect(await at('meant')).toMatchObject({ data: { a: 'b' } });
      });
      // So is one that is meant no more.
      await client.patch(
        namespaces,
        { name: 'meant' },
        { type: 'merge', patch: { metadata: { labels: { settings: null } } } },
      );
      if (origin === 'kcp')
        await eventually(async () => {
          expect(await at('meant')).toBeUndefined();
        });
      await inStep();
      expect(lists).toEqual([]);
    },
  );
});
