import { DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient } from '@hawser/client';
import { type RunningController, eventually, runController } from '@hawser/testenv';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Setup, controller } from './declared-controller.js';
import { toOwnKey } from './watches.js';
import type { Watched } from './watched.js';

const configMaps = { resource: { group: '', version: 'v1', resource: 'configmaps' }, kind: 'ConfigMap' };
const secrets = { resource: { group: '', version: 'v1', resource: 'secrets' }, kind: 'Secret' };
const unserved = { resource: { group: 'example.com', version: 'v1', resource: 'houses' }, kind: 'House' };
const decide = () => ({ actions: [] as readonly { readonly type: string }[] });
const act = () => Promise.resolve();

describe('what a controller looks at later', () => {
  let client: Client;
  let server: ReturnType<typeof createApiServer>;
  let running: RunningController | undefined;

  beforeEach(() => {
    server = createApiServer();
    client = createClient({
      name: 'provider',
      connection: { server: 'https://provider.invalid', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
    });
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await client.close();
    server.stop();
  });
  const create = ({ resource, kind }: typeof secrets, name: string) =>
    client.create(resource, { apiVersion: 'v1', kind, metadata: { name, namespace: 'default' } });

  it('watches what turns out to be needed, and is told of it', async () => {
    const seen: string[] = [];
    await create(secrets, 'first');
    running = await runController(
      controller('late', ({ clusters: { provider }, watch }: Setup<'provider'>) => {
        let later: Watched<KubeObject> | undefined;
        watch(provider, configMaps, toOwnKey);
        return {
          observe(key) {
            later ??= watch(provider, secrets, ({ metadata: { name } }) => `of/${name}`);
            seen.push(key);
          },
          decide,
          act,
        };
      }),
      { provider: client },
    );
    await create(configMaps, 'door');
    await eventually(() => {
      expect(seen).toEqual(['default/door', 'of/first']);
    });
    await create(secrets, 'second');
    await eventually(() => {
      expect(seen.at(-1)).toBe('of/second');
    });
  });

  it('starts when the caches are filled that it says it needs', async () => {
    const seen: string[] = [];
    await create(configMaps, 'door');
    running = await runController(
      controller('patient', ({ clusters: { provider }, watch }: Setup<'provider'>) => {
        const needed = watch(provider, configMaps, toOwnKey);
        watch(provider, unserved, toOwnKey);
        return { filled: (signal) => needed.synced(signal), observe: (key) => seen.push(key), decide, act };
      }),
      { provider: client },
    );
    await eventually(() => {
      expect(seen).toEqual(['default/door']);
    });
  });

  it('does not start where what it waits for fails', async () => {
    const refused = controller('refused', ({ clusters: { provider }, watch }: Setup<'provider'>) => {
      watch(provider, configMaps, toOwnKey);
      return { filled: () => Promise.reject(new Error('refused')), observe: () => undefined, decide, act };
    });
    await expect(runController(refused, { provider: client })).rejects.toThrow('refused');
  });

  it('looks at a key after a while, and at one that backs off when that may be cured', async () => {
    const seen: string[] = [];
    let look: Setup<'provider'>['look'] = () => undefined;
    running = await runController(
      controller('delayed', (setup: Setup<'provider'>) => {
        look = setup.look;
        return {
          observe(key) {
            seen.push(key);
            if (key === 'broken') throw new Error('broken');
          },
          decide,
          act,
        };
      }),
      { provider: client },
    );
    look('late', { afterMs: 30 });
    look('broken', 'urgent');
    await eventually(() => {
      expect(seen).toContain('late');
    });
    expect(seen[0]).toBe('broken');
    // After so many failures the next try would be half a minute away.
    for (let tries = 1; tries <= 10; tries++) {
      await eventually(() => {
        expect(seen.filter((key) => key === 'broken').length).toBeGreaterThanOrEqual(tries);
      });
      look('broken', { cures: true });
    }
  });

  it('tries again as soon as the controller says', async () => {
    let tries = 0;
    running = await runController(
      controller('hasty', () => ({
        backoff: { initialMs: 1, capMs: 10 },
        initial: () => ['broken'],
        observe: () => {
          tries += 1;
          throw new Error('broken');
        },
        decide,
        act,
      })),
      { provider: client },
    );
    // With the usual back-off that takes a minute.
    await eventually(() => {
      expect(tries).toBeGreaterThan(12);
    });
  });
});
