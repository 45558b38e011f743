import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { UnstructuredObject } from '@hawser/client';
import { eventually, settled } from '@hawser/testenv';

import type { RelatedRule } from './rules.js';
import type { Sync } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, type Workspace, configMaps, openInstallation } from './testing/installation.js';

describe('many related objects', () => {
  let installation: Installation;
  let a: Workspace;
  /** Requests to the service cluster: verb and resource. */
  let requests: string[];

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    ({ a } = installation.workspaces);
    requests = [];
    installation.server().setFaults(({ method, path }, { resource, namespace }) => {
      if (!path.includes('watch='))
        requests.push(`${method} ${namespace === installation.agentNamespace ? 'state ' : ''}${resource}`);
      return undefined;
    });
  });
  afterEach(async () => {
    await installation.close();
  });

  const start = (related: readonly RelatedRule[]): Promise<Sync> =>
    installation.startSync({ rules: { ...installation.rules, related } });
  const count = (request: string): number => requests.filter((each) => each === request).length;

  it('of one primary are synced once each, and neither what was pushed nor what was synced is forgotten', async () => {
    const names = Array.from({ length: 60 }, (_each, index) => `settings-of-this-tenant-${index}`);
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(
        names.slice(at, at + 50).map((name) =>
          a.client.create(configMaps, {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name, namespace: 'default' },
            data: { text: 'x'.repeat(20_000) },
          } as UnstructuredObject),
        ),
      );
    const rule = byReference('settings', 'kcp', 'all', {
      resources: { kcp: configMaps, service: configMaps },
      async resolve({ kcp, service }, readers) {
        const wanted = (kcp['spec'] as { all?: boolean }).all === true ? names : [];
        const found = await Promise.all(wanted.map((name) => readers.get(configMaps, { namespace: 'default', name })));
        return found.flatMap((object) =>
          object === undefined
            ? []
            : [
                {
                  origin: { namespace: 'default', name: object.metadata.name, object },
                  destination: { namespace: service.metadata.namespace, name: object.metadata.name },
                },
              ],
        );
      },
    });
    let sync = await start([rule]);
    await a.client.create(installation.kinds.kcp.resource, installation.object('one', { all: true, size: 'small' }));
    await eventually(
      () => {
        expect(sync.why(`${a.cluster}|default/one`).problem?.reason).toBe('StateTooLarge');
      },
      { timeoutMs: 60_000, intervalMs: 500 },
    );
    await settled(() => Promise.resolve(requests));
    expect(count('POST configmaps')).toBe(names.length);
    expect(count('PUT state secrets') + count('POST state secrets')).toBeLessThan(10);
    await sync.stop();
    // It is known what was there, and what was pushed.
    await a.client.patch(
      installation.kinds.kcp.resource,
      { namespace: 'default', name: 'one' },
      { type: 'merge', patch: { spec: { all: null, size: null } } },
    );
    sync = await start([rule]);
    await eventually(
      async () => {
        expect(
          (await installation.service.list(configMaps, { namespace: `copies-${a.cluster}` })).items.filter(
            ({ metadata: { name } }) => name.startsWith('settings'),
          ),
        ).toEqual([]);
        expect((await installation.copyOf(a, 'one'))?.['spec']).toEqual({ tier: 'standard' });
      },
      { timeoutMs: 60_000, intervalMs: 500 },
    );
  }, 180_000);

  it('of one primary are made only as far as there is room to write them down, and the others are told', async () => {
    // So long that some hundreds fill the room.
    const nameOf = (index: number): string => `${'x'.repeat(240)}-${index}`;
    const total = 1_000;
    const rule = byReference('settings', 'service', 'all', {
      cleanup: true,
      resources: { kcp: configMaps, service: configMaps },
      resolve({ kcp, service }) {
        const { all = 0 } = kcp['spec'] as { all?: number };
        const { namespace } = service.metadata;
        return Promise.resolve(
          Array.from({ length: all }, (_each, index) => {
            const name = nameOf(index);
            return {
              origin: {
                namespace,
                name,
                object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { text: 'x' } },
              },
              destination: { namespace: 'default', name },
            };
          }),
        );
      },
    });
    const sync = await start([rule]);
    await a.client.create(installation.kinds.kcp.resource, installation.object('one', { all: total, size: 'small' }));
    const made = async (): Promise<number> =>
      (await a.client.list(configMaps, { namespace: 'default' })).items.filter(({ metadata: { name } }) =>
        name.startsWith('xxx'),
      ).length;
    await eventually(
      () => {
        expect(sync.why(`${a.cluster}|default/one`).problem).toMatchObject({
          reason: 'StateTooLarge',
          message: expect.stringContaining('has no room to write it down'),
        });
      },
      { timeoutMs: 140_000, intervalMs: 500 },
    );
    await settled(async () => [await made()]);
    expect(await made()).toBeGreaterThan(100);
    expect(await made()).toBeLessThan(total);
    // What was made is known, and goes.
    await a.client.patch(
      installation.kinds.kcp.resource,
      { namespace: 'default', name: 'one' },
      { type: 'merge', patch: { spec: { all: null } } },
    );
    await eventually(
      async () => {
        expect(await made()).toBe(0);
      },
      { timeoutMs: 140_000, intervalMs: 500 },
    );
    await eventually(
      () => {
        expect(sync.why(`${a.cluster}|default/one`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
      },
      { timeoutMs: 30_000 },
    );
  }, 180_000);
});
