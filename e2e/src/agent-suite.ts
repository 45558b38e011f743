import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import { describeWithControlPlane } from '@hawser/testenv';
import { type AgentSystem, type AgentSystemOptions, startAgentSystem } from './agent-system.js';
import { onGivenKcp } from './kcp-plane.js';
import { type LoggedTest, loggedTest } from './logged-test.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';

/** A suite with a service cluster and a kcp of its own. `system()` is there from `beforeAll` on. What the programs have said is printed when a test fails. */
export function describeAgentSystem(
  title: string,
  options: AgentSystemOptions & {
    readonly needsEmbedded?: true;
    /** What admission policies are meant to deny. */ readonly denied?: RegExp;
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
        // Looking into namespaces, so that those of the agent go with the last thing in them, is a right that operators add.
        const isOption = (right: string): boolean =>
          options.rights.namespaces?.remove !== true && /^list \S+ {2}in \S+$/u.test(right);
        expect(refused.filter((right) => !isOption(right) && options.denied?.test(right) !== true)).toEqual([]);
      });
    },
    { controllerManager: true },
  );
}
