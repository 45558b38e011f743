import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { databases } from '@hawser/installation';
import { describeWithControlPlane } from '@hawser/testenv';
import { type KlutchWorld, type KlutchWorldOptions, openKlutchWorld, providerUser } from './klutch-world.js';
import { type LoggedTest, loggedTest } from './logged-test.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';

/**
 * Declares a suite about a Klutch provider that offers its exports, Secrets included, to every consumer. `world()`
 * works from `beforeAll` on.
 */
export function describeKlutchWorld(
  title: string,
  options: KlutchWorldOptions,
  define: (world: () => KlutchWorld, it: LoggedTest) => void,
): void {
  if (onGivenClusters()) {
    describe.skip(title, () => {
      jestIt('needs a cluster of its own', () => undefined);
    });
    return;
  }
  describeWithControlPlane(
    title,
    () => {
      let opened: KlutchWorld | undefined;
      const world = (): KlutchWorld => {
        if (opened === undefined) throw new Error('the provider did not start');
        return opened;
      };
      beforeAll(async () => {
        opened = await openKlutchWorld(options);
        await opened.plane.apply(
          ...(options.apis ?? [databases]).map(({ group, plural }) => ({
            apiVersion: 'example-backend.klutch.anynines.com/v1alpha1',
            kind: 'APIServiceExportTemplate',
            metadata: { name: plural },
            spec: {
              APIServiceSelector: { group, resource: plural },
              permissionClaims: [
                {
                  group: '',
                  version: 'v1',
                  resource: 'secrets',
                  selector: { names: ['*'], namespaces: ['*'], owner: 'Provider' },
                },
              ],
            },
          })),
        );
      }, 240_000);
      afterAll(() => opened?.close(), 60_000);
      const it = loggedTest(jestIt, title, () => opened?.provider.log().split('\n').slice(-60).join('\n') ?? '');
      define(world, it);
      it('needed no right that the chart does not give', async () => {
        expect(await refusedRequests(world().plane, providerUser)).toEqual([]);
      });
    },
    { controllerManager: true },
  );
}
