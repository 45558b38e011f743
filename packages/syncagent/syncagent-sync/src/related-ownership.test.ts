import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Client, type ObjectKey, type UnstructuredObject, getIfExists } from '@hawser/client';
import { eventually } from '@hawser/testenv';

import type { RelatedRule } from './rules.js';
import type { Sync, SyncOptions } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import {
  type Installation,
  type Workspace,
  backups,
  namespaces,
  openInstallation,
  secrets,
} from './testing/installation.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';
const controlledBy = (name: string): object => ({
  ownerReferences: [
    { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: '5b1c1a52-1111-4c3f-9d2a-000000000001', controller: true },
  ],
});

describe('whose a related object is', () => {
  let installation: Installation;
  let a: Workspace;
  let b: Workspace;
  let sync: Sync;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true, related: true });
    ({ a, b } = installation.workspaces);
  });
  afterEach(async () => {
    await installation.close();
  });

  const start = async (related: readonly RelatedRule[], more: Partial<SyncOptions> = {}): Promise<void> => {
    sync = await installation.startSync({ ...more, rules: { ...(more.rules ?? installation.rules), related } });
  };
  const secret = (
    namespace: string,
    name: string,
    data: Readonly<Record<string, string>>,
    metadata: object = {},
  ): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, ...metadata },
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  });
  const contentOf = (object: UnstructuredObject | undefined): unknown =>
    object === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries((object['data'] ?? {}) as Record<string, string>).map(([key, text]) => [
            key,
            Buffer.from(text, 'base64').toString(),
          ]),
        );
  const refer = (to: string | null, { client }: Workspace = a): Promise<unknown> =>
    client.patch(
      installation.kinds.kcp.resource,
      { namespace: 'default', name: 'one' },
      { type: 'merge', patch: { spec: { secretName: to } } },
    );
  const create = ({ client }: Workspace, name: string, spec: object): Promise<unknown> =>
    client.create(installation.kinds.kcp.resource, installation.object(name, spec));
  const change = (client: Client, key: ObjectKey, data: Readonly<Record<string, string>>): Promise<unknown> =>
    client.patch(secrets, key, {
      type: 'merge',
      patch: {
        data: Object.fromEntries(
          Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        ),
      },
    });
  const inWorkspace = (name: string): ObjectKey => ({ namespace: 'default', name });
  const onService = (name: string, { cluster }: Workspace = a): ObjectKey => ({ namespace: `copies-${cluster}`, name });
  const finalizersOf = async (name: string, workspace: Workspace = a): Promise<unknown> =>
    (await workspace.get(inWorkspace(name), secrets))?.metadata.finalizers;
  /** Everything that is to be done for it has been looked at: it says so, or it is in step. */
  const problemIs = (workspace: Workspace, name: string, reason: string | undefined): Promise<void> =>
    eventually(() => {
      expect(sync.why(`${workspace.cluster}|default/${name}`).problem?.reason).toBe(reason);
    });
  const inStep = (workspace: Workspace, name: string): Promise<void> =>
    eventually(() => {
      expect(sync.why(`${workspace.cluster}|default/${name}`)).toEqual({
        verdict: { kind: 'inStep' },
        problem: undefined,
      });
    });
  const copied = (workspace: Workspace, name: string): Promise<unknown> =>
    eventually(async () => {
      const copy = await installation.copyOf(workspace, name);
      if (copy === undefined) throw new Error(`${name} has no copy`);
      return copy;
    });
  const operators = { password: 'of the operator' };
  const thereIs = async (name: string, metadata: object = {}): Promise<void> => {
    await create(a, 'one', {});
    await copied(a, 'one');
    await installation.service.create(secrets, secret(onService(name).namespace ?? '', name, operators, metadata));
  };

  it.each(['refuse', 'adopt', 'overwrite'] as const)(
    'an empty Secret of a consumer takes over nothing that stands in its place, under %s',
    async (adoption) => {
      await start([byReference('config', 'kcp', 'secretName')], { adoption });
      await thereIs('pg-superuser', controlledBy('pg'));
      await a.client.create(secrets, secret('default', 'pg-superuser', {}));
      await refer('pg-superuser');
      await problemIs(a, 'one', 'Occupied');
      expect(await finalizersOf('pg-superuser')).toBeUndefined();
      // Filled, it overwrites nothing.
      await change(a.client, inWorkspace('pg-superuser'), { password: 'of the consumer' });
      await create(a, 'later', {});
      await inStep(a, 'later');
      await problemIs(a, 'one', 'Occupied');
      expect(contentOf(await installation.service.get(secrets, onService('pg-superuser')))).toEqual(operators);
      // No more referred to, it deletes nothing.
      await refer(null);
      await inStep(a, 'one');
      expect(contentOf(await installation.service.get(secrets, onService('pg-superuser')))).toEqual(operators);
      await a.client.delete(installation.kinds.kcp.resource, inWorkspace('one'));
      await eventually(async () => {
        expect(await a.get(inWorkspace('one'))).toBeUndefined();
      });
      expect(contentOf(await installation.service.get(secrets, onService('pg-superuser')))).toEqual(operators);
    },
  );

  it.each([
    ['refuse', 'Occupied'],
    ['adopt', undefined],
    ['overwrite', undefined],
  ] as const)(
    'what is equal and nobody controls is taken over where adoption says so: %s',
    async (adoption, reason) => {
      await start([byReference('config', 'kcp', 'secretName')], { adoption });
      await thereIs('creds');
      await a.client.create(secrets, secret('default', 'creds', operators));
      await refer('creds');
      await problemIs(a, 'one', reason);
      if (reason !== undefined) {
        expect(await finalizersOf('creds')).toBeUndefined();
        return;
      }
      await eventually(async () => {
        expect(await finalizersOf('creds')).toEqual([FINALIZER]);
      });
      await change(a.client, inWorkspace('creds'), { password: 'of both' });
      await eventually(async () => {
        expect(contentOf(await installation.service.get(secrets, onService('creds')))).toEqual({ password: 'of both' });
      });
    },
  );

  it.each([
    ['a part of it is known', { password: 'of the operator' }, { password: 'of the operator', more: 'unknown' }, {}],
    ['both are empty', {}, {}, {}],
    ['a controller owns it', operators, operators, controlledBy('pg')],
  ] as const)('nothing is taken over, under adopt, where %s', async (_title, ours, theirs, metadata) => {
    await start([byReference('config', 'kcp', 'secretName')]);
    await create(a, 'one', {});
    await copied(a, 'one');
    await installation.service.create(secrets, secret(onService('creds').namespace ?? '', 'creds', theirs, metadata));
    await a.client.create(secrets, secret('default', 'creds', ours));
    await refer('creds');
    await problemIs(a, 'one', 'Occupied');
    expect(await finalizersOf('creds')).toBeUndefined();
    expect((await installation.service.get(secrets, onService('creds'))).metadata.resourceVersion).toBeDefined();
  });

  it('what is overwritten is never a related object, even where primaries are', async () => {
    await start([byReference('config', 'kcp', 'secretName')], { adoption: 'overwrite' });
    await thereIs('creds');
    await a.client.create(secrets, secret('default', 'creds', { password: 'of the consumer' }));
    await refer('creds');
    await problemIs(a, 'one', 'Occupied');
    expect(contentOf(await installation.service.get(secrets, onService('creds')))).toEqual(operators);
  });

  const forgetState = async (): Promise<void> => {
    const namespace = installation.agentNamespace;
    const labelSelector = 'syncagent.kcp.io/object-state=true';
    for (const { metadata } of (await installation.service.list(secrets, { namespace, labelSelector })).items)
      await installation.service.delete(secrets, { namespace, name: metadata.name });
  };

  it.each(['kcp', 'service'] as const)(
    'a copy of an object of %s that was made and not written down is taken for its own by the agent that made it',
    async (origin) => {
      const rules = [byReference('config', origin, 'secretName')];
      const [original, copy] =
        origin === 'kcp' ? ([a.client, installation.service] as const) : ([installation.service, a.client] as const);
      const ofOriginal = origin === 'kcp' ? inWorkspace('creds') : onService('creds');
      const ofCopy = origin === 'kcp' ? onService('creds') : inWorkspace('creds');
      const hasPassword = (password: string): Promise<void> =>
        eventually(async () => {
          expect(contentOf(await getIfExists(copy, secrets, ofCopy))).toEqual({ password });
        });
      await start(rules, { adoption: 'refuse' });
      await create(a, 'one', { secretName: 'creds' });
      await copied(a, 'one');
      await original.create(secrets, secret(ofOriginal.namespace ?? '', 'creds', { password: 'first' }));
      await hasPassword('first');
      await inStep(a, 'one');
      const { uid } = (await copy.get(secrets, ofCopy)).metadata;
      await sync.stop();
      await forgetState();
      await a.client.patch(installation.kinds.kcp.resource, inWorkspace('one'), {
        type: 'merge',
        patch: { metadata: { annotations: { 'related-resources.syncagent.kcp.io/config.0': null } } },
      });
      await start(rules, { adoption: 'refuse' });
      await change(original, ofOriginal, { password: 'second' });
      await hasPassword('second');
      await inStep(a, 'one');
      expect((await copy.get(secrets, ofCopy)).metadata.uid).toBe(uid);
    },
  );

  it('a copy that was made and not written down, and that somebody else has changed since, is left alone', async () => {
    const rules = [byReference('config', 'kcp', 'secretName')];
    await a.client.create(secrets, secret('default', 'creds', { password: 'first' }));
    await start(rules, { adoption: 'refuse' });
    await create(a, 'one', { secretName: 'creds' });
    await inStep(a, 'one');
    await sync.stop();
    await forgetState();
    const changed = { password: 'first', more: 'of somebody else' };
    await installation.service.patch(
      secrets,
      onService('creds'),
      { type: 'merge', patch: { data: { more: Buffer.from(changed.more).toString('base64') } } },
      { fieldManager: 'somebody-else' },
    );
    await start(rules, { adoption: 'refuse' });
    await problemIs(a, 'one', 'Occupied');
    expect(contentOf(await installation.service.get(secrets, onService('creds')))).toEqual(changed);
  });

  it('a copy that a Go agent wrote, and no state Secret names, says what to do, and is taken over then', async () => {
    const rules = [byReference('config', 'kcp', 'secretName')];
    await create(a, 'one', { secretName: 'creds' });
    await start(rules, { adoption: 'refuse' });
    await copied(a, 'one');
    const { uid } = (
      await installation.service.create(
        secrets,
        secret(onService('creds').namespace ?? '', 'creds', { password: 'first' }),
        { fieldManager: 'api-syncagent' },
      )
    ).metadata;
    await a.client.create(secrets, secret('default', 'creds', { password: 'first' }));
    await problemIs(a, 'one', 'Occupied');
    const { message } = sync.why(`${a.cluster}|default/one`).problem ?? {};
    expect(message).toContain('An agent wrote it, but no state Secret names it');
    expect(message).toContain(
      'It says the same. If no other agent serves it, annotate the PublishedResource with "hawser.dev/adoption: adopt"',
    );
    await sync.stop();
    await start(rules, { adoption: 'adopt' });
    await inStep(a, 'one');
    await change(a.client, inWorkspace('creds'), { password: 'second' });
    await eventually(async () => {
      expect(contentOf(await installation.service.get(secrets, onService('creds')))).toEqual({ password: 'second' });
    });
    expect((await installation.service.get(secrets, onService('creds'))).metadata.uid).toBe(uid);
  });

  it('a copy that was made anew by another is another object: neither written nor deleted, restarts included', async () => {
    const rules = [byReference('config', 'kcp', 'secretName')];
    await start(rules);
    await a.client.create(secrets, secret('default', 'creds', { password: 'first' }));
    await create(a, 'one', { secretName: 'creds' });
    await eventually(async () => {
      expect(contentOf(await getIfExists(installation.service, secrets, onService('creds')))).toEqual({
        password: 'first',
      });
    });
    await inStep(a, 'one');
    await sync.stop();
    await installation.service.delete(secrets, onService('creds'));
    await installation.service.create(secrets, secret(onService('creds').namespace ?? '', 'creds', operators));
    await start(rules);
    await problemIs(a, 'one', 'Occupied');
    await change(a.client, inWorkspace('creds'), { password: 'second' });
    await create(a, 'later', {});
    await inStep(a, 'later');
    await problemIs(a, 'one', 'Occupied');
    await a.client.delete(installation.kinds.kcp.resource, inWorkspace('one'));
    await eventually(async () => {
      expect(await a.get(inWorkspace('one'))).toBeUndefined();
    });
    expect(contentOf(await installation.service.get(secrets, onService('creds')))).toEqual(operators);
    expect(await finalizersOf('creds')).toBeUndefined();
  });

  it('of two tenants that share a namespace of the service cluster the first has the place, and its content', async () => {
    const shared = {
      ...installation.rules,
      naming: ({ metadata }: UnstructuredObject, cluster: string) => ({
        name: `${cluster}-${metadata.name}`,
        namespace: 'shared',
      }),
    };
    await installation.service.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shared' },
    });
    const rules = [byReference('config', 'kcp', 'secretName')];
    const copyKey = { namespace: 'shared', name: 'creds' };
    for (const first of ['', 'of a']) {
      await start(rules, { rules: shared });
      await a.client.create(secrets, secret('default', 'creds', first === '' ? {} : { password: first }));
      await create(a, 'one', { secretName: 'creds' });
      await eventually(async () => {
        expect(await getIfExists(installation.service, secrets, copyKey)).toBeDefined();
      });
      await inStep(a, 'one');
      await b.client.create(secrets, secret('default', 'creds', first === '' ? {} : { password: first }));
      await create(b, 'one', { secretName: 'creds' });
      await problemIs(b, 'one', 'RelatedCollision');
      await change(b.client, inWorkspace('creds'), { password: 'of b' });
      await create(b, 'later', {});
      await inStep(b, 'later');
      await problemIs(b, 'one', 'RelatedCollision');
      expect(contentOf(await installation.service.get(secrets, copyKey))).toEqual(
        first === '' ? {} : { password: first },
      );
      // After a restart it is known which of them has it, whichever is looked at first.
      await sync.stop();
      await start(rules, { rules: shared });
      await problemIs(b, 'one', 'RelatedCollision');
      await eventually(() => {
        expect(sync.surveyed).toBe(true);
      });
      await change(a.client, inWorkspace('creds'), { password: 'of a, again' });
      await eventually(async () => {
        expect(contentOf(await installation.service.get(secrets, copyKey))).toEqual({ password: 'of a, again' });
      });
      for (const workspace of [b, a]) {
        await workspace.client.delete(installation.kinds.kcp.resource, inWorkspace('one'));
        await eventually(async () => {
          expect(await workspace.get(inWorkspace('one'))).toBeUndefined();
        });
        expect((await getIfExists(installation.service, secrets, copyKey)) === undefined).toBe(workspace === a);
      }
      await b.client.delete(installation.kinds.kcp.resource, inWorkspace('later'));
      for (const workspace of [a, b])
        await eventually(async () => {
          await workspace.client.delete(secrets, inWorkspace('creds')).catch(() => undefined);
          expect(await workspace.get(inWorkspace('creds'), secrets)).toBeUndefined();
        });
      await sync.stop();
    }
  });

  it('of the service cluster never takes the place of what a user has: neither overwritten, nor deleted', async () => {
    await start([byReference('credentials', 'service', 'secretName', { cleanup: true })]);
    await create(a, 'one', {});
    await copied(a, 'one');
    await a.client.create(secrets, secret('default', 'creds', { password: 'of the user' }));
    await installation.service.create(secrets, secret(onService('creds').namespace ?? '', 'creds', {}));
    await refer('creds');
    await problemIs(a, 'one', 'Occupied');
    await change(installation.service, onService('creds'), { password: 'of the provider' });
    await create(a, 'later', {});
    await inStep(a, 'later');
    await problemIs(a, 'one', 'Occupied');
    expect(contentOf(await a.get(inWorkspace('creds'), secrets))).toEqual({ password: 'of the user' });
    await a.client.delete(installation.kinds.kcp.resource, inWorkspace('one'));
    await eventually(async () => {
      expect(await a.get(inWorkspace('one'))).toBeUndefined();
    });
    expect(contentOf(await a.get(inWorkspace('creds'), secrets))).toEqual({ password: 'of the user' });
  });

  it('keeps its owner where the name of the copy changes, and takes over nothing that stands there', async () => {
    const renamed = byReference('config', 'kcp', 'secretName', {
      async resolve({ kcp, service }, readers) {
        const { secretName, as } = kcp['spec'] as { secretName?: string; as?: string };
        if (secretName === undefined) return [];
        const object = await readers.get(secrets, { namespace: 'default', name: secretName });
        return object === undefined
          ? []
          : [
              {
                origin: { namespace: 'default', name: secretName, object },
                destination: { namespace: service.metadata.namespace, name: as ?? secretName },
              },
            ];
      },
    });
    await start([renamed]);
    await thereIs('pg-superuser');
    await a.client.create(secrets, secret('default', 'creds', { password: 'of the consumer' }));
    await refer('creds');
    await eventually(async () => {
      expect(contentOf(await getIfExists(installation.service, secrets, onService('creds')))).toEqual({
        password: 'of the consumer',
      });
    });
    await a.client.patch(installation.kinds.kcp.resource, inWorkspace('one'), {
      type: 'merge',
      patch: { spec: { as: 'pg-superuser' } },
    });
    await problemIs(a, 'one', 'Occupied');
    await change(a.client, inWorkspace('creds'), { password: 'another' });
    await create(a, 'later', {});
    await inStep(a, 'later');
    expect(contentOf(await installation.service.get(secrets, onService('pg-superuser')))).toEqual(operators);
    await a.client.delete(installation.kinds.kcp.resource, inWorkspace('one'));
    await eventually(async () => {
      expect(await a.get(inWorkspace('one'))).toBeUndefined();
    });
    expect(contentOf(await installation.service.get(secrets, onService('pg-superuser')))).toEqual(operators);
    expect(await finalizersOf('creds')).toBeUndefined();
  });

  it('is not what another sync has there', async () => {
    await start([byReference('config', 'kcp', 'secretName')]);
    const first = sync;
    await a.client.create(secrets, secret('default', 'mine', { password: 'same' }));
    await a.client.create(secrets, secret('default', 'creds', { password: 'same' }));
    await create(a, 'one', { secretName: 'creds' });
    await eventually(async () => {
      expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeDefined();
    });
    await inStep(a, 'one');
    // Its copy would stand where that of the other one stands.
    const colliding = byReference('other', 'kcp', 'secretName', {
      async resolve({ service }, readers) {
        const object = await readers.get(secrets, { namespace: 'default', name: 'mine' });
        return object === undefined
          ? []
          : [
              {
                origin: { namespace: 'default', name: 'mine', object },
                destination: { namespace: service.metadata.namespace, name: 'creds' },
              },
            ];
      },
    });
    sync = await installation.startSync({
      publishedResource: { apiVersion: 'syncagent.kcp.io/v1alpha1', kind: 'PublishedResource', name: 'backups' },
      kinds: { ...installation.kinds, kcp: { ...installation.kinds.kcp, resource: backups, kind: 'Backup' } },
      rules: {
        ...installation.rules,
        naming: ({ metadata }, cluster) => ({ name: `backup-${metadata.name}`, namespace: `copies-${cluster}` }),
        related: [colliding],
      },
    });
    await a.client.create(backups, {
      apiVersion: 'kcp.example.com/v1',
      kind: 'Backup',
      metadata: { name: 'nightly', namespace: 'default' },
      spec: {},
    } as UnstructuredObject);
    await problemIs(a, 'nightly', 'RelatedCollision');
    await change(a.client, inWorkspace('mine'), { password: 'changed' });
    await a.client.delete(backups, inWorkspace('nightly'));
    await eventually(async () => {
      expect(await a.get(inWorkspace('nightly'), backups)).toBeUndefined();
    });
    expect(contentOf(await installation.service.get(secrets, onService('creds')))).toEqual({ password: 'same' });
    expect(first.problems()).toEqual([]);
  });
});
