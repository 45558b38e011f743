import type { UnstructuredObject } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { type CustomResourceDefinition, resources, kubeBindDialect } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  openKonnectorPair,
  version,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from '../../servicebinding/src/index.js';
import { createStoredVersions } from './index.js';

const crds = resources.customResourceDefinitions;
const named = (name: string, storage: boolean) => ({
  ...version({ spec: { type: 'object', properties: { size: { type: 'integer' } } } }),
  name,
  storage,
});

describeWithControlPlane('stored versions', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let name: string;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    name = `stored-${pair.clusterNamespace}`;
    await pair.createSchema('databases', { scope: 'Cluster', versions: [named('v1', true)] });
    await pair.createExport(name, ['databases']);
  });
  afterEach(async () => {
    await stop();
    await pair.close();
  });

  async function start(pageSize = 2): Promise<void> {
    const controllers = [
      createServiceBinding({ connection: pair.connection, schemaPolicy: 'Always', migratesStoredVersions: true }),
      createStoredVersions({ dialect: kubeBindDialect, settleMs: 50, pageSize, atOnce: 2 }),
    ];
    running.push(...controllers);
    const context = pair.context();
    await Promise.all(controllers.map((controller) => controller.start(context)));
  }
  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((controller) => controller.stop()));
  };
  const databases = (of = 'v1') => ({ group: pair.group, version: of, resource: 'databases' });
  const object = (called: string): UnstructuredObject => ({
    apiVersion: `${pair.group}/v1`,
    kind: 'Database',
    metadata: { name: called, annotations: { note: called } },
    spec: { size: 1 },
  });
  const offerOf = (plural: string, ...versions: readonly unknown[]): Promise<unknown> =>
    pair.provider.patch(
      resources.boundSchemas,
      { namespace: pair.clusterNamespace, name: `${plural}.${pair.group}` },
      { type: 'merge', patch: { spec: { versions } } },
    );
  const offer = (...versions: readonly unknown[]): Promise<unknown> => offerOf('databases', ...versions);
  const crd = (): Promise<CustomResourceDefinition> =>
    pair.consumer.get<CustomResourceDefinition>(crds, { name: `databases.${pair.group}` });
  async function bound(count: number): Promise<void> {
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    for (let at = 0; at < count; at++)
      await eventually(() => pair.consumer.create(databases(), object(`db-${at}`)), { timeoutMs: 20_000 });
  }
  /** Has the API server refuse every update of one object, until the answer is called. */
  async function freeze(plural: string, called: string): Promise<() => Promise<void>> {
    const policy = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies' };
    const policyBinding = { ...policy, resource: 'validatingadmissionpolicybindings' };
    const objects = { group: pair.group, version: 'v1', resource: plural };
    const patch = { type: 'merge', patch: { metadata: { labels: { probe: 'yes' } } } } as const;
    await pair.consumer.create(policy, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [{ apiGroups: [pair.group], apiVersions: ['*'], resources: [plural], operations: ['UPDATE'] }],
        },
        validations: [{ expression: `object.metadata.name != "${called}"`, message: `${called} is frozen` }],
      },
    } as UnstructuredObject);
    await pair.consumer.create(policyBinding, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    } as UnstructuredObject);
    await eventually(
      async () => {
        await expect(pair.consumer.patch(objects, { name: called }, patch)).rejects.toThrow('frozen');
      },
      { timeoutMs: 30_000 },
    );
    return async () => {
      await pair.consumer.delete(policyBinding, { name });
      await pair.consumer.delete(policy, { name });
      await eventually(() => pair.consumer.patch(objects, { name: called }, patch), { timeoutMs: 30_000 });
    };
  }
  const stored = (): Promise<void> =>
    eventually(
      async () => {
        expect((await crd()).status?.storedVersions).toEqual(['v2']);
      },
      { timeoutMs: 30_000 },
    );

  it('are rewritten when the storage version moves, with every object as it was, and once', async () => {
    await start();
    await bound(5);
    const before = await pair.consumer.list(databases());
    await offer(named('v1', false), named('v2', true));
    await stored();
    const after = await pair.consumer.list(databases());
    expect(
      after.items.map(({ metadata: { name: called, uid, generation, annotations } }) => ({
        called,
        uid,
        generation,
        annotations,
      })),
    ).toEqual(
      before.items.map(({ metadata: { name: called, uid, generation, annotations } }) => ({
        called,
        uid,
        generation,
        annotations,
      })),
    );
    expect(after.items.map((one) => one['spec'])).toEqual(before.items.map((one) => one['spec']));
    // Each was stored anew.
    for (const [at, one] of after.items.entries())
      expect(one.metadata.resourceVersion).not.toBe(before.items[at]?.metadata.resourceVersion);
    await eventually(() => {
      expect(pair.events).toContainEqual(
        expect.stringMatching(/StoredVersionsMigrated: 5 databases\..* are stored as v2; v1 may go\./u),
      );
    });
    expect(await pair.condition(name, 'StoredVersionsMigrated')).toBeUndefined();
    // A pass over objects that are stored as they should be writes nothing.
    await stop();
    await pair.consumer.patch(
      crds,
      { name: `databases.${pair.group}` },
      { type: 'merge', patch: { status: { storedVersions: ['v1', 'v2'] } } },
      { subresource: 'status' },
    );
    await start();
    await stored();
    expect((await pair.consumer.list(databases())).items.map(({ metadata }) => metadata.resourceVersion)).toEqual(
      after.items.map(({ metadata }) => metadata.resourceVersion),
    );
  });

  it('hold up a version that the provider drops, until nothing is stored in it; then it goes, and nothing with it', async () => {
    await start();
    await bound(3);
    await offer(named('v2', true));
    await eventually(
      async () => {
        expect((await crd()).spec.versions.map(({ name: one }) => one)).toEqual(['v2']);
      },
      { timeoutMs: 30_000 },
    );
    expect((await crd()).status?.storedVersions).toEqual(['v2']);
    await eventually(async () => {
      expect((await pair.consumer.list(databases('v2'))).items.map((one) => one['spec'])).toEqual([
        { size: 1 },
        { size: 1 },
        { size: 1 },
      ]);
    });
    await eventually(async () => {
      expect(await pair.condition(name, 'SchemaUpdateHeld')).toBeUndefined();
    });
    await pair.becomes(name, 'SchemaInSync', { status: 'True' });
    await expect(pair.consumer.list(databases('v1'))).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('go on after an interruption at any point', async () => {
    await start(1);
    await bound(6);
    await offer(named('v1', false), named('v2', true));
    for (let at = 0; at < 5; at++) {
      await eventually(
        async () => {
          expect((await crd()).spec.versions).toHaveLength(2);
        },
        { timeoutMs: 20_000 },
      );
      await stop();
      await start(1);
    }
    await stored();
    expect((await pair.consumer.list(databases('v2'))).items).toHaveLength(6);
  });

  it('stay listed while an object is refused as it stands, which is said, and go when it is let through', async () => {
    await start();
    await bound(2);
    const thaw = await freeze('databases', 'db-1');
    await offer(named('v1', false), named('v2', true));
    await pair.becomes(name, 'StoredVersionsMigrated', {
      status: 'False',
      reason: 'StoredObjectsRefused',
      message: 'db-1',
    });
    expect((await crd()).status?.storedVersions).toEqual(['v1', 'v2']);
    await thaw();
    await stop();
    await start();
    await stored();
    await eventually(async () => {
      expect(await pair.condition(name, 'StoredVersionsMigrated')).toBeUndefined();
    });
  });

  it('say what is refused of one resource until that one is stored anew, whatever becomes of another whose name ends alike', async () => {
    await pair.createSchema('mydatabases', { scope: 'Cluster', versions: [named('v1', true)] });
    name = `both-${pair.clusterNamespace}`;
    await pair.createExport(name, ['databases', 'mydatabases']);
    await start();
    await bound(1);
    const mine = { group: pair.group, version: 'v1', resource: 'mydatabases' };
    await eventually(() => pair.consumer.create(mine, { ...object('my-0'), kind: 'Mydatabase' }), {
      timeoutMs: 20_000,
    });
    const thaw = await freeze('mydatabases', 'my-0');
    await offerOf('mydatabases', named('v1', false), named('v2', true));
    await pair.becomes(name, 'StoredVersionsMigrated', {
      status: 'False',
      message: `Objects of mydatabases.${pair.group} `,
    });
    await offer(named('v1', false), named('v2', true));
    await eventually(
      () => {
        expect(pair.events).toContainEqual(
          expect.stringMatching(/StoredVersionsMigrated: 1 databases\..* stored as v2/u),
        );
      },
      { timeoutMs: 30_000 },
    );
    expect((await pair.condition(name, 'StoredVersionsMigrated'))?.message).toContain(
      `Objects of mydatabases.${pair.group} `,
    );
    await thaw();
  });
});
