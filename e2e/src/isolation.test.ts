import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { type Attempt, type Scope, attemptGroups, needed } from './attempts.js';
import { type Consumer, type IsolationWorld, openIsolationWorld, providerUser } from './isolation-world.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';

const scopes: readonly Scope[] = ['Namespaced', 'Cluster'];
const LONG = { timeoutMs: 60_000, intervalMs: 100 };

(onGivenClusters() ? describe.skip : describe).each(scopes)('isolation, scope %s', (scope) => {
  describeWithControlPlane('a consumer', () => {
    let world: IsolationWorld;
    beforeAll(async () => { world = await openIsolationWorld(scope); }, 240_000);
    afterAll(() => world.close(), 60_000);

    for (const { title, attempts } of attemptGroups) {
      describe(title, () => {
        it.each(attempts.filter((one) => one.scope === undefined || one.scope === scope))('that $tries is stopped by $stop', async (attempt) => {
          const { connection, own } = credentialOf(world, attempt);
          const attemptOnce = (): Promise<{ readonly status: number; readonly text: string }> => world.send(connection, attempt, own);
          const { outcome } = attempt;
          switch (outcome.kind) {
            case 'refused': {
              // What was withdrawn is known to all of the API server within moments; what was never given has to be refused at once.
              const answer = attempt.with === undefined ? await attemptOnce() : await eventually(async () => {
                const found = await attemptOnce();
                expect(outcome.codes).toContain(found.status);
                return found;
              }, LONG);
              expect(outcome.codes).toContain(answer.status);
              if (answer.status === 403) expect(answer.text.includes('ValidatingAdmissionPolicy')).toBe(attempt.stop === 'admission policy');
              return;
            }
            case 'ineffective': {
              await attemptOnce();
              await world.turn();
              const { text } = await world.look(outcome.path);
              for (const word of outcome.words) expect(text).not.toContain(world.fill(word));
              return;
            }
            case 'told': {
              expect((await attemptOnce()).status).toBe(201);
              await eventually(async () => {
                const about = await world.look(outcome.about);
                const events = await world.look('/api/v1/namespaces/{own}/events');
                expect(`${about.text}${events.text}`).toContain(`"${outcome.reason}"`);
              }, LONG);
              expect((await world.look(outcome.absent)).status).toBe(404);
            }
          }
        }, 90_000);
      });
    }

    it('does its work all the while, and so do the others', async () => {
      for (const { connection, namespace } of [world.consumers.own, world.consumers.other]) {
        for (const request of needed.filter((one) => one.scope === undefined || one.scope === scope)) {
          const { status, text } = await world.send(connection, request, namespace);
          expect({ request: `${request.method} ${request.path}`, status: status < 300 ? 'done' : `${status} ${text}` }).toEqual({ request: `${request.method} ${request.path}`, status: 'done' });
        }
      }
    }, 90_000);

    it('has written nowhere but where it may, as the audit log has it', async () => {
      for (const { namespace } of Object.values(world.consumers)) {
        const writes = await world.plane.controlPlane?.auditLog().writes({ user: userOf(namespace), succeeded: true }) ?? [];
        expect(writes.length).toBeGreaterThan(0);
        const elsewhere = writes.filter((one) => one.namespace === undefined ? one.resource !== 'zones' || one.name?.startsWith(`${namespace}-`) !== true : one.namespace !== namespace && !one.namespace.startsWith(`${namespace}-team-`));
        expect(elsewhere).toEqual([]);
      }
      const refused = await world.plane.controlPlane?.auditLog().entries({ user: userOf(world.consumers.own.namespace), succeeded: false }) ?? [];
      expect(refused.filter(({ code }) => code === 403).length).toBeGreaterThanOrEqual(attemptGroups.flatMap(({ attempts }) => attempts).filter((one) => one.outcome.kind === 'refused' && one.with === undefined && (one.scope ?? scope) === scope).length);
    });

    it('was served by a provider with exactly the rights of the chart', async () => {
      expect(await refusedRequests(world.plane, providerUser)).toEqual([]);
    });

    it.each([
      ['make roles', { verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }],
      ['escalate', { verb: 'escalate', group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }],
      ['bind cluster-admin', { verb: 'bind', group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'cluster-admin' }],
      ['read objects of what it exports', { verb: 'get', group: 'example.com', resource: 'databases', namespace: 'kube-bind-a-team-a' }],
      ['list Secrets', { verb: 'list', resource: 'secrets' }],
      ['read a Secret of a service namespace', { verb: 'get', resource: 'secrets', namespace: 'kube-bind-a-team-a', name: 'password' }],
      ['ask for tokens of others', { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'kube-system', name: 'default' }],
      ['delete a namespace', { verb: 'delete', resource: 'namespaces', name: 'kube-bind-a' }],
      ['impersonate', { verb: 'impersonate', resource: 'users', name: 'admin' }],
      ['change the admission policy', { verb: 'delete', group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies', name: 'hawser-consumers' }],
    ])('is not at the mercy of a provider role that could %s', async (_, resourceAttributes) => {
      const review = (await world.plane.client.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user: providerUser, groups: ['system:serviceaccounts', 'system:serviceaccounts:hawser'], resourceAttributes } })) as { readonly status: { readonly allowed: boolean } };
      expect(review.status.allowed).toBe(false);
    });

    it('keeps its namespaces also where an operator deletes them by mistake', async () => {
      for (const name of ['kube-bind-a', 'kube-bind-a-team-a']) await expect(world.plane.kubectl(['delete', 'namespace', name])).rejects.toThrow('hawser.dev/allow-deletion');
      await world.plane.kubectl(['annotate', 'namespace', 'kube-bind-c-team-a', 'hawser.dev/allow-deletion=true']);
      await world.plane.kubectl(['delete', 'namespace', 'kube-bind-c-team-a', '--wait=false']);
    });
  }, { controllerManager: true });
});

function credentialOf({ consumers: { own, unbound }, revoked }: IsolationWorld, attempt: Attempt): { readonly connection: ConnectionConfig; readonly own: string } {
  const of = ({ connection, namespace }: Consumer): { readonly connection: ConnectionConfig; readonly own: string } => ({ connection, own: namespace });
  if (attempt.with === 'unbound') return of(unbound);
  return attempt.with === 'revoked' ? { connection: revoked, own: own.namespace } : of(own);
}

function userOf(namespace: string): string {
  return `system:serviceaccount:${namespace}:kube-binder`;
}
