import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { describeWithControlPlane } from '@hawser/testenv';
import { konnectorUser } from './konnector-account.js';
import { type LoggedTest, loggedTest } from './logged-test.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';
import { type System, type SystemOptions, startSystem } from './system.js';

export interface SystemTest extends LoggedTest {
  /** For tests that restart API servers or read their audit logs. */
  readonly ownClusters: LoggedTest;
}

/** Declares a suite with two clusters of its own. `system()` works from `beforeAll` on. */
export function describeSystem(
  title: string,
  options: () => SystemOptions,
  define: (system: () => System, it: SystemTest) => void,
): void {
  if (onGivenClusters() && options().planes !== undefined) {
    describe.skip(title, () => {
      jestIt('needs clusters of its own', () => undefined);
    });
    return;
  }
  describeWithControlPlane(
    title,
    () => {
      let running: System | undefined;
      const system = (): System => {
        if (running === undefined) throw new Error('the clusters did not start');
        return running;
      };
      beforeAll(async () => {
        running = await startSystem(options());
      }, 240_000);
      afterAll(async () => {
        await running?.close();
      }, 60_000);

      const test = (runner: typeof jestIt | typeof jestIt.skip): LoggedTest =>
        loggedTest(runner, title, () => running?.logs() ?? '');
      const ownClusters = test(onGivenClusters() ? jestIt.skip : jestIt);
      define(system, Object.assign(test(jestIt), { ownClusters }));
      ownClusters('the rights that the chart gives on the consumer were enough', async () => {
        // The chart's option to look for labelled Secrets everywhere is off.
        expect(await refusedRequests(system().consumer, konnectorUser, ['list secrets./  in '])).toEqual([]);
      });
    },
    { controllerManager: true },
  );
}
