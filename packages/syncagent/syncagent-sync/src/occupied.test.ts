import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Client, type ObjectKey, type UnstructuredObject, apiVersionOf, isSameResource } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { eventually } from '@hawser/testenv';

import { type Installation, namespaces, openInstallation } from './testing/installation.js';

describe('an object whose place is taken', () => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
  });
  afterEach(() => installation.close());

  it('is looked after by reads, and its copy is made once the place is free', async () => {
    const clock = new FakeClock();
    const { a } = installation.workspaces;
    const { resource } = installation.kinds.service;
    const asked = { create: 0, get: 0 };
    const service = new Proxy(installation.service, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        return (...given: Parameters<Client['get']>): unknown => {
          if ((name === 'create' || name === 'get') && isSameResource(given[0], resource)) asked[name]++;
          return Reflect.apply(found, target, given);
        };
      },
    });
    const copyKey: ObjectKey = { namespace: `copies-${a.cluster}`, name: 'default-one' };
    await installation.service.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: copyKey.namespace ?? '' },
    });
    await installation.service.create(resource, {
      apiVersion: apiVersionOf(resource),
      kind: installation.kinds.service.kind,
      metadata: copyKey,
      spec: { size: 'of another' },
    } as UnstructuredObject);
    const sync = await installation.startSync({ adoption: 'refuse' }, { clock, service });
    await a.client.create(installation.kinds.kcp.resource, installation.object('one', { size: 'small' }));
    await eventually(async () => {
      await clock.advance(100);
      expect(sync.why(`${a.cluster}|default/one`).problem?.reason).toBe('Occupied');
    });
    const before = { ...asked };
    await eventually(async () => {
      await clock.advance(30_000);
      expect(asked.get).toBeGreaterThanOrEqual(before.get + 4);
    });
    expect(asked.create).toBe(before.create);
    await installation.service.delete(resource, copyKey);
    await eventually(async () => {
      await clock.advance(30_000);
      expect((await installation.service.get(resource, copyKey))['spec']).toMatchObject({ size: 'small' });
    });
  });
});
