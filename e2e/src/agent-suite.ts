import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { describeWithControlPlane } from '@hawser/testenv';
import { type AgentSystem, type AgentSystemOptions, startAgentSystem } from './agent-system.js';
import { onGivenKcp } from './kcp-plane.js';
import { type LoggedTest, loggedTest } from './logged-test.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';

/**
 * Declares a suite with its own service cluster and kcp. `system()` works from `beforeAll` on. Prints the programs'
 * logs when a test fails.
 */
export function describeAgentSystem(
  title: string,
  options: AgentSystemOptions & {
    readonly needsEmbedded?: true;
    /** Requests that admission policies must deny. */ readonly denied?: RegExp;
  },
  define: (system: () => AgentSystem, it: LoggedTest) => void,
): void {
  if (onGivenClusters()) {
    describe.skip(title, () => {
      jestIt('needs a service cluster of its own', () => undefined);
    });
    return;
  }
  if (options.needsEmbedded === true && onGivenKcp()) {
    describe.skip(title, () => {
      jestIt('needs a kcp in this process', () => undefined);
    });
    return;
  }
  describeWithControlPlane(
    title,
    () => {
      let running: AgentSystem | undefined;
      const system = (): AgentSystem => {
        if (running === undefined) throw new Error('the clusters did not start');
        return running;
      };
      beforeAll(async () => {
        running = await startAgentSystem(options);
      }, 240_000);
      afterAll(async () => {
        await running?.close();
      }, 60_000);
      const it = loggedTest(jestIt, title, () => running?.logs() ?? '');
      define(system, it);
      it('the rights that the chart gives on the service cluster were enough', async () => {
        const refused = await refusedRequests(system().service, system().user);
        // Operators grant this right as an option: the agent reads namespaces to delete its own once they are empty.
        const isOption = (right: string): boolean =>
          options.rights.namespaces?.remove !== true && /^list \S+ {2}in \S+$/u.test(right);
        expect(refused.filter((right) => !isOption(right) && options.denied?.test(right) !== true)).toEqual([]);
      });
    },
    { controllerManager: true },
  );
}
