import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Client, type Resource, isSameResource } from '@hawser/client';
import { eventually } from '@hawser/testenv';

import { type Installation, openInstallation, secrets } from './testing/installation.js';
import { byReference } from './testing/by-reference.js';

/** Writes that may follow each other, and how many there may be in a second after that. */
const [BURST, PER_SECOND] = [50, 5];
const CHANGES = 500;

describe('a user who changes something all the time', () => {
  let installation: Installation;
  /** Patches of each resource of the service cluster. */
  let patches: Resource[];
  let service: Client;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    patches = [];
    service = new Proxy(installation.service, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        return (...given: Parameters<Client['get']>): unknown => {
          if (name === 'patch') patches.push(given[0]);
          return Reflect.apply(found, target, given);
        };
      },
    });
  });
  afterEach(() => installation.close());

  it('has each object carried at a pace, and what it says in the end', async () => {
    const { a } = installation.workspaces;
    const { kcp, service: local } = installation.kinds;
    await installation.startSync({}, { service });
    await a.client.create(kcp.resource, installation.object('one', { size: 'small' }));
    await eventually(async () => {
      expect(await installation.copyOf(a, 'one')).toBeDefined();
    });
    const began = performance.now();
    for (let at = 0; at <= CHANGES; at++)
      await a.client.patch(
        kcp.resource,
        { namespace: 'default', name: 'one' },
        { type: 'merge', patch: { metadata: { annotations: { serial: String(at) } } } },
      );
    await eventually(async () => {
      expect((await installation.copyOf(a, 'one'))?.metadata.annotations?.['serial']).toBe(String(CHANGES));
    });
    const seconds = (performance.now() - began) / 1_000;
    const written = patches.filter((resource) => isSameResource(resource, local.resource)).length;
    expect(written).toBeLessThanOrEqual(BURST + PER_SECOND * seconds + 1);
    // Another one does not wait.
    await a.client.create(kcp.resource, installation.object('two', { size: 'small' }));
    await eventually(async () => {
      expect(await installation.copyOf(a, 'two')).toBeDefined();
    });
  });

  it('has a related object carried at the pace of its object', async () => {
    const { a } = installation.workspaces;
    const { kcp } = installation.kinds;
    await installation.startSync(
      { rules: { ...installation.rules, related: [byReference('credentials', 'kcp', 'size')] } },
      { service },
    );
    await a.client.create(secrets, secretOf(0));
    await a.client.create(kcp.resource, installation.object('one', { size: 'small' }));
    const key = { namespace: `copies-${a.cluster}`, name: 'small' };
    await eventually(() => installation.service.get(secrets, key));
    const began = performance.now();
    for (let at = 0; at <= CHANGES; at++)
      await a.client.patch(
        secrets,
        { namespace: 'default', name: 'small' },
        { type: 'merge', patch: { data: secretOf(at).data } },
      );
    await eventually(async () => {
      expect((await installation.service.get(secrets, key))['data']).toEqual(secretOf(CHANGES).data);
    });
    const seconds = (performance.now() - began) / 1_000;
    const written = patches.filter((resource) => isSameResource(resource, secrets)).length;
    expect(written).toBeLessThanOrEqual(2 * (BURST + PER_SECOND * seconds + 1));
  });
});

function secretOf(serial: number) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'small' },
    data: { serial: Buffer.from(String(serial)).toString('base64') },
  };
}
