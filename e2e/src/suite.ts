import { afterAll, beforeAll, describe, expect, it as jestIt } from '@jest/globals';
import type { Client } from '@hawser/client';
import { type AuditEntry, describeWithControlPlane } from '@hawser/testenv';
import { konnectorUser } from './konnector-account.js';
import { onGivenClusters } from './plane.js';
import { type System, type SystemOptions, startSystem } from './system.js';

/** `it` that prints what the programs have said when the test fails. */
export interface SystemTest {
  (title: string, fn: () => Promise<void>, timeoutMs?: number): void;
  /** For tests that restart API servers or read their audit logs. */
  readonly ownClusters: (title: string, fn: () => Promise<void>, timeoutMs?: number) => void;
}

/** A suite with two clusters of its own. `system()` is there from `beforeAll` on. */
export function describeSystem(title: string, options: (() => SystemOptions) & { readonly recordings?: boolean }, define: (system: () => System, it: SystemTest) => void): void {
  if (onGivenClusters() && options().planes !== undefined) {
    describe.skip(title, () => { jestIt('needs clusters of its own', () => undefined); });
    return;
  }
  describeWithControlPlane(title, () => {
    let running: System | undefined;
    const system = (): System => {
      if (running === undefined) throw new Error('the clusters did not start');
      return running;
    };
    beforeAll(async () => { running = await startSystem(options()); }, 240_000);
    afterAll(async () => { await running?.close(); }, 60_000);

    const test = (runner: typeof jestIt | typeof jestIt.skip) => (name: string, fn: () => Promise<void>, timeoutMs = 180_000): void => {
      runner(name, async () => {
        try {
          await fn();
        } catch (error) {
          process.stderr.write(`\n===== ${title}: ${name}\n${running?.logs() ?? ''}\n`);
          throw error;
        }
      }, timeoutMs);
    };
    const ownClusters = test(onGivenClusters() ? jestIt.skip : jestIt);
    define(system, Object.assign(test(jestIt), { ownClusters }));
    ownClusters('the rights that the chart gives on the consumer were enough', async () => {
      expect(await refusedRequests(system())).toEqual([]);
    });
  }, { controllerManager: true, recordings: options.recordings === true });
}

/**
 * What the consumer refused to konnectors and refuses still: an API server that has just started refuses for a moment what roles grant that it has not
 * read yet. That a request was allowed later is not read from the audit log, which has a watch only once it has ended.
 * Looking for labelled Secrets everywhere is an option of the chart, and off.
 */
async function refusedRequests({ consumer }: System): Promise<readonly string[]> {
  const entries = await consumer.controlPlane?.auditLog().entries({ user: konnectorUser }) ?? [];
  const refused = new Map(entries.filter(({ code }) => code === 403).map((entry) => [rightOf(entry), entry]));
  refused.delete('list secrets./  in ');
  const missing = await Promise.all([...refused].map(async ([right, entry]) => (await isAllowed(consumer.client, entry) ? [] : [right])));
  return missing.flat();
}

function rightOf({ verb, group, resource, subresource = '', namespace = '', name = '', requestUri }: AuditEntry): string {
  return resource === '' ? `${verb} ${pathOf(requestUri)}` : `${verb} ${resource}.${group}/${subresource} ${name} in ${namespace}`;
}

function pathOf(requestUri: string): string {
  return requestUri.split('?')[0] ?? '';
}

async function isAllowed(administrator: Client, entry: AuditEntry): Promise<boolean> {
  const { user, groups, verb, group, resource, subresource = '', namespace = '', name = '' } = entry;
  const asked = resource === '' ? { nonResourceAttributes: { verb, path: pathOf(entry.requestUri) } } : { resourceAttributes: { verb, group, resource, subresource, namespace, name } };
  const review = (await administrator.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups, ...asked },
  })) as { readonly status: { readonly allowed: boolean } };
  return review.status.allowed;
}
