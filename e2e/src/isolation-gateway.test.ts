import { describeWithControlPlane, eventually, type RawResponse } from '@hawser/testenv';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Attempt, type Setting, attemptGroups, needed } from './attempts.js';
import { LONG } from './copies.js';
import { gatewayUser } from './gateway-program.js';
import { attemptOnce, tryAttempt } from './isolation-attempts.js';
import { CANARY, type IsolationWorld, canaryOf, openIsolationWorld, providerUser } from './isolation-world.js';
import { onGivenClusters } from './plane.js';
import { refusedRequests } from './refused-requests.js';

/** Of a consumer that there is not: what is answered for it has to be what is answered for one that there is. */
const ABSENT = 'kube-bind-z';

const settings: readonly { readonly setting: Setting; readonly scopes: string }[] = [
  { setting: 'Prefixed', scopes: 'Prefixed, informer scope Namespaced' },
  { setting: 'Prefixed, shared', scopes: 'Prefixed, informer scope Cluster' },
  { setting: 'None', scopes: 'None, informer scope Namespaced' },
  { setting: 'None, shared', scopes: 'None, informer scope Cluster' },
  { setting: 'Namespaced', scopes: 'Namespaced, informer scope Namespaced' },
  { setting: 'Namespaced, shared', scopes: 'Namespaced, informer scope Cluster' },
];

/** Behind a gateway everything is served in both informer scopes, so what is tried in one of them is tried in both. What needs a world of its own is left to the setting that has it. */
function isMadeIn(setting: Setting, { gateway, settings: of, with: used, times }: Attempt): boolean {
  if (gateway === 'served') return false;
  if (of === undefined) return setting.startsWith('Prefixed');
  if (used !== undefined || times !== undefined) return of.includes(setting);
  const isolation = setting.replace(', shared', '');
  return of.some((one) => one.replace(', shared', '') === isolation);
}

(onGivenClusters() ? describe.skip : describe).each(settings)('behind a gateway, isolation $scopes', ({ setting }) => {
  describeWithControlPlane(
    'a consumer',
    () => {
      let world: IsolationWorld;
      beforeAll(async () => {
        world = await openIsolationWorld(setting, 'gateway');
      }, 300_000);
      afterAll(() => world.close(), 60_000);

      /** What others have, by where it is: the version, which each change raises. */
      const ofOthers = async (own: string): Promise<Readonly<Record<string, string>>> => {
        const paths = ['/apis/example.com/v1/databases', '/apis/example.com/v1/zones', '/api/v1/secrets'];
        const lists = await Promise.all(paths.map((path) => world.look(path)));
        const items = lists.flatMap(({ text }) => (JSON.parse(text) as { readonly items: readonly Found[] }).items);
        return Object.fromEntries(
          items
            .filter((item) => foreign(JSON.stringify(item), own).length > 0)
            .map(({ metadata: { namespace = '', name, uid, resourceVersion } }) => [
              `${namespace}/${name}`,
              `${uid} ${resourceVersion}`,
            ]),
        );
      };

      for (const { title, attempts } of attemptGroups
        .map((group) => ({ ...group, attempts: group.attempts.filter((one) => isMadeIn(setting, one)) }))
        .filter((group) => group.attempts.length > 0)) {
        describe(title, () => {
          it.each(attempts)('that $tries does not get beyond the gateway, or is stopped by $stop', async (attempt) => {
            const { namespace: own } = world.credentialOf(attempt);
            const before = await ofOthers(own);
            expect(Object.keys(before).length).toBeGreaterThan(0);
            const answer = await tryBehindGateway(world, attempt);
            expect(foreign(answer.text, own)).toEqual([]);
            expect(await ofOthers(own)).toEqual(before);
            // What a server makes up is never alike.
            const words = JSON.stringify(attempt);
            if (attempt.outcome.kind === 'refused' && words.includes('{other}') && !words.includes('generateName')) {
              const twin = await attemptOnce(world, withOther(attempt, ABSENT));
              expect(alike(answer, world.fill('{other}'))).toEqual(alike(twin, ABSENT));
            }
            if (attempt.times !== undefined) await world.turn(world.consumers.other);
          });
        });
      }

      it('does its work all the while, and so do the others', async () => {
        const isolation = setting.replace(', shared', '');
        for (const { connection, namespace } of [world.consumers.own, world.consumers.other]) {
          for (const request of needed.filter(
            ({ settings: of }) => of?.some((one) => one.startsWith(isolation)) ?? true,
          )) {
            const { status, text } = await world.send(connection, request, namespace);
            expect({
              request: `${request.method} ${request.path}`,
              status: status < 300 ? 'done' : `${status} ${text}`,
            }).toEqual({ request: `${request.method} ${request.path}`, status: 'done' });
            expect(foreign(text, namespace)).toEqual([]);
          }
        }
      });

      if (setting.startsWith('None'))
        it('is served claimed objects only while no other consumer has the namespace, and is told so', async () => {
          const { own, other } = world.consumers;
          const secrets = { method: 'GET', path: '/api/v1/namespaces/alone-kube-bind-a/secrets' } as const;
          const asked = '/apis/kube-bind.io/v1alpha2/namespaces/{own}/apiservicenamespaces';
          const statuses = async (): Promise<readonly number[]> =>
            Promise.all(
              [own, other].map(async (each) => (await world.send(each.connection, secrets, each.namespace)).status),
            );
          const straight = async (): Promise<number> =>
            (await world.send(world.straight(own.connection), secrets, own.namespace)).status;
          expect([await statuses(), await straight()]).toEqual([[200, 403], 200]);
          const body = {
            apiVersion: 'kube-bind.io/v1alpha2',
            kind: 'APIServiceNamespace',
            metadata: { name: 'alone-kube-bind-a' },
          };
          const made = await world.send(other.connection, { method: 'POST', path: asked, body }, other.namespace);
          expect(made.status).toBe(201);
          await eventually(async () => {
            expect([await statuses(), await straight()]).toEqual([[403, 403], 403]);
            for (const { namespace } of [own, other]) {
              const { text } = await world.look(
                '/apis/kube-bind.io/v1alpha2/namespaces/{own}/apiserviceexports/databases',
                namespace,
              );
              expect(text).toContain('"ClaimedObjectsShared"');
              expect(text).toContain('\\"alone-kube-bind-a\\"');
            }
          }, LONG);
          await world.send(other.connection, { method: 'DELETE', path: `${asked}/alone-kube-bind-a` }, other.namespace);
          await eventually(async () => {
            expect([await statuses(), await straight()]).toEqual([[200, 403], 200]);
          }, LONG);
        });

      it('has written nowhere but where it may, as the audit log has it, which names the consumer', async () => {
        for (const consumer of Object.values(world.consumers)) {
          const user = `system:serviceaccount:${consumer.namespace}:kube-binder`;
          const writes = (await world.plane.controlPlane?.auditLog().writes({ user, succeeded: true })) ?? [];
          expect(writes.length).toBeGreaterThan(0);
          const foreignWrites = writes.filter(
            (one) => one.group !== 'authorization.k8s.io' && !world.mayWriteIn(consumer, one.namespace, one.name),
          );
          expect(foreignWrites).toEqual([]);
        }
      });

      it('was served by a provider and a gateway with exactly the rights of the chart, and the gateway wrote nothing', async () => {
        expect(await refusedRequests(world.plane, providerUser)).toEqual([]);
        expect(await refusedRequests(world.plane, gatewayUser)).toEqual([]);
        expect(await world.plane.controlPlane?.auditLog().writes({ user: gatewayUser })).toEqual([]);
      });

      it('has a gateway with all rights that hawser rbac prints', async () => {
        const { code, out, err } = await world.rbac('gateway');
        expect({ code, err }).toEqual({ code: 0, err: '' });
        expect(out).toContain('# ServiceAccount hawser/hawser-provider-gateway has all of it.');
      });
    },
    { controllerManager: true },
  );
});

interface Found {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

async function tryBehindGateway(world: IsolationWorld, attempt: Attempt): Promise<RawResponse> {
  const { gateway, outcome } = attempt;
  if (gateway === 'own') {
    const answer = await attemptOnce(world, attempt);
    expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
      status: 200,
      text: '',
    });
    return answer;
  }
  if (gateway === 'refused') {
    const answer = await attemptOnce(world, attempt);
    expect(answer).toMatchObject({ status: 403 });
    return answer;
  }
  // What is not the consumer's does not exist, as far as it is told.
  return tryAttempt(
    world,
    outcome.kind === 'refused' ? { ...attempt, outcome: { ...outcome, codes: [...outcome.codes, 404] } } : attempt,
  );
}

/** The words of others in a text. */
function foreign(text: string, own: string): readonly string[] {
  const words = [canaryOf(own), Buffer.from(canaryOf(own)).toString('base64').replaceAll('=', '')];
  return [...text.matchAll(CANARY)].map(([word]) => word).filter((word) => !words.includes(word));
}

const withOther = (attempt: Attempt, name: string): Attempt =>
  JSON.parse(JSON.stringify(attempt).replaceAll('{other}', name)) as Attempt;

const alike = ({ status, text }: RawResponse, name: string): RawResponse => ({
  status,
  text: text.replaceAll(name, '{other}'),
});
