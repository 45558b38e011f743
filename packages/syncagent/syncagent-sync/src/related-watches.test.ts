import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { eventually } from '@hawser/testenv';

import type { Sync } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, configMaps, openInstallation } from './testing/installation.js';

describe('related objects of the service cluster that cannot be watched', () => {
  let installation: Installation;
  let sync: Sync;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
  });
  afterEach(async () => {
    await installation.close();
  });

  /** ConfigMaps are listed `after` so many failures. */
  const start = async (
    answer: { readonly status: number; readonly body: string },
    after: number,
  ): Promise<() => number> => {
    let lists = 0;
    installation
      .server()
      .setFaults(({ path }, { resource, verb }) =>
        resource === 'configmaps' && verb === 'list' && !path.includes('watch=') && ++lists <= after
          ? { instead: { headers: { 'content-type': 'application/json' }, ...answer } }
          : undefined,
      );
    sync = await installation.startSync({
      rules: {
        ...installation.rules,
        related: [
          byReference('settings', 'service', 'configName', { resources: { kcp: configMaps, service: configMaps } }),
        ],
      },
    });
    return () => lists;
  };
  const broken = { status: 200, body: '{"kind":"List","items":[' };
  const troubles = (): readonly string[] =>
    sync.troubles().map(({ reason, actor, message }) => `${reason} (${actor}): ${message}`);

  it('are told with the missing right at once', async () => {
    await start(
      {
        status: 403,
        body: JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          code: 403,
          reason: 'Forbidden',
          message: 'configmaps is forbidden',
        }),
      },
      Infinity,
    );
    await eventually(() => {
      expect(troubles()).toEqual([
        expect.stringMatching(
          /^RelatedNotWatched \(provider\): Changes of configmaps .*configmaps is forbidden.* Grant list and watch\.$/u,
        ),
      ]);
    });
  });

  it('are not told while that may pass', async () => {
    const lists = await start(broken, 2);
    const seen = new Set<string>();
    await eventually(
      () => {
        for (const each of troubles()) seen.add(each);
        expect(lists()).toBeGreaterThan(2);
      },
      { timeoutMs: 30_000, intervalMs: 10 },
    );
    expect([...seen]).toEqual([]);
  });

  it('are told when that lasts, without asking for a right that is there', async () => {
    await start(broken, Infinity);
    await eventually(
      () => {
        expect(troubles()).toEqual([
          expect.stringMatching(
            /^RelatedNotWatched \(provider\): Changes of configmaps (?!.*Grant list).*The provider must find out why the service cluster does not answer\. Hawser tries again by itself\.$/u,
          ),
        ]);
      },
      { timeoutMs: 60_000 },
    );
  }, 90_000);
});
