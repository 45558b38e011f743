import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithControlPlane } from '@hawser/testenv';
import { type Setting, attemptGroups, needed } from './attempts.js';
import { tryAttempt } from './isolation-attempts.js';
import { type IsolationWorld, openIsolationWorld, providerUser } from './isolation-world.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';

const settings: readonly Setting[] = [
  'Prefixed',
  'Prefixed, shared',
  'None',
  'None, shared',
  'Namespaced',
  'Namespaced, shared',
];
const usual: readonly Setting[] = ['Prefixed', 'Prefixed, shared'];
const isMadeIn = (setting: Setting, { settings: of = usual }: { readonly settings?: readonly Setting[] }): boolean =>
  of.includes(setting);

(onGivenClusters() ? describe.skip : describe).each(settings)('isolation %s', (setting) => {
  describeWithControlPlane(
    'a consumer',
    () => {
      let world: IsolationWorld;
      beforeAll(async () => {
        world = await openIsolationWorld(setting);
      }, 300_000);
      afterAll(() => world.close(), 60_000);

      for (const { title, attempts } of attemptGroups
        .map((group) => ({ ...group, attempts: group.attempts.filter((one) => isMadeIn(setting, one)) }))
        .filter((group) => group.attempts.length > 0)) {
        describe(title, () => {
          it.each(attempts)('that $tries is stopped by $stop', async (attempt) => {
            await tryAttempt(world, attempt);
            if (attempt.times !== undefined) await world.turn(world.consumers.other);
          });
        });
      }

      it('does its work all the while, and so do the others', async () => {
        for (const { connection, namespace } of [world.consumers.own, world.consumers.other]) {
          for (const request of needed.filter((one) => isMadeIn(setting, { settings: one.settings ?? settings }))) {
            const { status, text } = await world.send(connection, request, namespace);
            expect({
              request: `${request.method} ${request.path}`,
              status: status < 300 ? 'done' : `${status} ${text}`,
            }).toEqual({ request: `${request.method} ${request.path}`, status: 'done' });
          }
        }
      });

      it('has written nowhere but where it may, as the audit log has it', async () => {
        for (const consumer of Object.values(world.consumers)) {
          const { namespace } = consumer;
          const writes =
            (await world.plane.controlPlane?.auditLog().writes({ user: userOf(namespace), succeeded: true })) ?? [];
          expect(writes.length).toBeGreaterThan(0);
          const foreignWrites = writes.filter(
            (one) => one.group !== 'authorization.k8s.io' && !world.mayWriteIn(consumer, one.namespace, one.name),
          );
          expect(foreignWrites).toEqual([]);
        }
        const refused =
          (await world.plane.controlPlane
            ?.auditLog()
            .entries({ user: userOf(world.consumers.own.namespace), succeeded: false })) ?? [];
        expect(refused.filter(({ code }) => code === 403).length).toBeGreaterThanOrEqual(
          attemptGroups
            .flatMap(({ attempts }) => attempts)
            .filter(
              (one) =>
                one.outcome.kind === 'refused' &&
                one.outcome.codes.includes(403) &&
                one.with === undefined &&
                isMadeIn(setting, one),
            ).length,
        );
      });

      it('was served by a provider with exactly the rights of the chart', async () => {
        expect(await refusedRequests(world.plane, providerUser)).toEqual([]);
      });

      it('has a provider with all rights that hawser rbac prints, and no others', async () => {
        const { code, out, err } = await world.rbac();
        expect({ code, err }).toEqual({ code: 0, err: '' });
        // What is beyond is what this world gives every ServiceAccount.
        expect(out.split('\n').filter((line) => line.startsWith('#'))).toEqual([
          '# What the provider role needs on its cluster.',
          '# ServiceAccount hawser/hawser-provider has all of it.',
          '# Beyond what is needed there is:',
          ...['databases', 'zones'].map(
            (name) => `#   in the whole cluster: bind apiserviceexporttemplates.kube-bind.io named ${name}`,
          ),
          '# What consumers can be given: the provider role binds these ClusterRoles, and makes none.',
          '# The cluster has all of it.',
          '# What RBAC cannot say, about consumers and about the provider role. Without the policy hawser-provider the rights above amount to cluster-admin.',
        ]);
        expect(out).toContain('name: kube-binder:objects:databases.example.com');
      });

      it.each([
        ['make roles', { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }],
        ['escalate', { verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }],
        [
          'bind cluster-admin',
          { verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'cluster-admin' },
        ],
        [
          'read objects of what it exports',
          { verb: 'get', group: 'example.com', resource: 'databases', namespace: 'kube-bind-a-team-a' },
        ],
        ['list Secrets', { verb: 'list', resource: 'secrets' }],
        [
          'read a Secret of a service namespace',
          { verb: 'get', resource: 'secrets', namespace: 'kube-bind-a-team-a', name: 'password' },
        ],
        [
          'ask for tokens of others',
          {
            verb: 'create',
            resource: 'serviceaccounts',
            subresource: 'token',
            namespace: 'kube-system',
            name: 'default',
          },
        ],
        ['delete a namespace', { verb: 'delete', resource: 'namespaces', name: 'kube-bind-a' }],
        ['impersonate', { verb: 'impersonate', resource: 'users', name: 'admin' }],
        [
          'change the admission policy',
          {
            verb: 'delete',
            group: 'admissionregistration.k8s.io',
            resource: 'validatingadmissionpolicies',
            name: 'hawser-consumers',
          },
        ],
      ])('is not at the mercy of a provider role that could %s', async (_, resourceAttributes) => {
        const review = (await world.plane.client.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: {
            user: providerUser,
            groups: ['system:serviceaccounts', 'system:serviceaccounts:hawser'],
            resourceAttributes,
          },
        })) as { readonly status: { readonly allowed: boolean } };
        expect(review.status.allowed).toBe(false);
      });

      it('keeps its namespaces also where an operator deletes them by mistake', async () => {
        for (const name of ['kube-bind-a', world.fill('{team}')])
          await expect(world.plane.kubectl(['delete', 'namespace', name])).rejects.toThrow('hawser.dev/allow-deletion');
        const team = world.fill('{team}', 'kube-bind-c');
        await world.plane.kubectl(['annotate', 'namespace', team, 'hawser.dev/allow-deletion=true']);
        await world.plane.kubectl(['delete', 'namespace', team, '--wait=false']);
      });
    },
    { controllerManager: true },
  );
});

function userOf(namespace: string): string {
  return `system:serviceaccount:${namespace}:kube-binder`;
}
