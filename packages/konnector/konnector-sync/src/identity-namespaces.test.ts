import { administrator, type ApiServer, createApiServer, DirectDispatcher } from '@hawser/apiserver';
import { type Client, createClient, getIfExists, type Resource, type UnstructuredObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createIdentityNamespaces } from './identity-namespaces.js';
import type { ServiceNamespaces } from './service-namespaces.js';

const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };
const ROLES: Resource = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const owner = { apiVersion: 'v1', kind: 'None', name: '', uid: '' };

describe('namespaces that stand for themselves', () => {
  let server: ApiServer;
  let admin: Client;
  let client: Client;
  let clock: FakeClock;
  let namespaces: ServiceNamespaces;
  const clientOf = (name: string, user: typeof administrator): Client =>
    createClient({
      name,
      connection: { server: 'http://api.test', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => server, user }),
    });

  beforeEach(() => {
    server = createApiServer({ controllerManager: false });
    admin = clientOf('admin', administrator);
    client = clientOf('provider', { name: 'konnector', groups: ['system:authenticated'] });
    clock = new FakeClock();
    namespaces = createIdentityNamespaces({ client, labels: { made: 'here' }, now: () => clock.monotonic() });
  });
  afterEach(async () => {
    await client.close();
    await admin.close();
    server.stop();
  });

  const ensure = (): Promise<unknown> => namespaces.ensure('team', owner, AbortSignal.timeout(5_000));
  const live = (): Promise<UnstructuredObject | undefined> => getIfExists(admin, NAMESPACES, { name: 'team' });
  const exists = (): Promise<unknown> =>
    admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });

  async function allow(verbs: readonly string[]): Promise<void> {
    const rules = verbs.length === 0 ? [] : [{ apiGroups: [''], resources: ['namespaces'], verbs }];
    const head = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'konnector' } };
    await admin.create(ROLES, { ...head, kind: 'ClusterRole', rules } as UnstructuredObject);
    await admin.create({ ...ROLES, resource: 'clusterrolebindings' }, {
      ...head,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: ROLES.group, kind: 'ClusterRole', name: 'konnector' },
      subjects: [{ kind: 'User', apiGroup: ROLES.group, name: 'konnector' }],
    } as UnstructuredObject);
  }

  it('are made with their labels, once, and looked for again after a while', async () => {
    await allow(['get', 'create']);
    expect(namespaces.toProvider('team')).toBeUndefined();
    expect(await Promise.all([ensure(), ensure()])).toEqual(['assigned', 'assigned']);
    expect((await live())?.metadata.labels).toMatchObject({ made: 'here' });
    expect(namespaces.toProvider('team')).toBe('team');
    await clock.advance(30_000);
    expect(namespaces.toProvider('team')).toBeUndefined();
  });

  it.each([
    ['that are there need no right to create them', ['get']],
    ['are taken to be there by who may do nothing', []],
    ['that are there, and cannot be read, are no failure', ['create']],
  ])('%s', async (_, verbs) => {
    await allow(verbs);
    await exists();
    expect(await ensure()).toBe('assigned');
    expect((await live())?.metadata.labels ?? {}).not.toHaveProperty('made');
  });

  it('that are missing and cannot be made are a failure', async () => {
    await allow(['get']);
    await expect(ensure()).rejects.toMatchObject({ code: 'Forbidden' });
    expect(namespaces.toProvider('team')).toBeUndefined();
  });
});
