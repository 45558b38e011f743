import { type Client, type UnstructuredObject, createClient } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import {
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  startControlPlane,
  uniqueGroup,
} from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { policyResources } from './admission-policy.js';
import { allowSchemaChangeAnnotation, schemaGuard, schemaGuardBinding, schemaGuardName } from './schema-guard.js';

const crds = resources.customResourceDefinitions;
const refused = { code: 'Forbidden', message: expect.stringContaining(schemaGuardName) };

describeWithControlPlane('the policy for exported CRDs', () => {
  let plane: ControlPlane;
  let admin: Client;
  /** May write CRDs, as who installs a service may. */
  let installer: Client;
  /** May approve besides. */
  let approver: Client;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'provider' });
    admin = createClient({ name: 'admin', connection: plane.connection });
    const rule = (verbs: readonly string[]): object => ({
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs,
    });
    const as = async (user: string, verbs: readonly string[]): Promise<Client> => {
      await plane.kubectl(['apply', '-f', '-'], {
        input: JSON.stringify({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: user },
          rules: [rule(verbs)],
        }),
      });
      await plane.kubectl(['create', 'clusterrolebinding', user, `--clusterrole=${user}`, `--user=${user}`]);
      return createClient({ name: user, connection: (await plane.userAccess(user)).connection });
    };
    installer = await as('installer', ['get', 'list', 'create', 'update', 'patch', 'delete']);
    approver = await as('approver', ['get', 'update', 'patch', 'approve-schema']);
    await admin.create(policyResources.policies, schemaGuard);
    await admin.create(policyResources.bindings, schemaGuardBinding);
    // The API server compiles a new policy in a moment.
    const probe = await provide();
    await eventually(
      async () => {
        await expect(widen(admin, probe)).rejects.toMatchObject(refused);
      },
      { timeoutMs: 60_000 },
    );
  });
  afterAll(async () => {
    await Promise.all([admin, installer, approver].map((client) => client.close()));
    await plane.stop();
  });

  const provide = async (labels: Record<string, string> = { 'kube-bind.io/exported': 'true' }): Promise<string> => {
    const group = uniqueGroup('guard');
    const name = `databases.${group}`;
    await eventually(
      () =>
        installer.create(crds, {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name, labels },
          spec: {
            group,
            scope: 'Namespaced',
            names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } },
                  },
                },
              },
            ],
          },
        } as UnstructuredObject),
      { timeoutMs: 60_000 },
    );
    return name;
  };
  let fields = 0;
  const widen = (client: Client, name: string): Promise<unknown> =>
    client.patch(
      crds,
      { name },
      {
        type: 'json',
        operations: [
          {
            op: 'add',
            path: `/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/f${fields++}`,
            value: { type: 'string' },
          },
        ],
      },
    );
  const annotate = (client: Client, name: string, value: string | null): Promise<unknown> =>
    client.patch(
      crds,
      { name },
      { type: 'merge', patch: { metadata: { annotations: { [allowSchemaChangeAnnotation]: value } } } },
    );
  const generationOf = async (name: string): Promise<string> =>
    String((await admin.get(crds, { name })).metadata.generation);

  it('lets through what changes nothing of the schema', async () => {
    const name = await provide();
    await installer.patch(
      crds,
      { name },
      { type: 'merge', patch: { metadata: { labels: { team: 'a' }, annotations: { note: 'seen' } } } },
    );
    // The whole object, as it is: what writes its status may come in between.
    await eventually(async () => {
      await installer.update(crds, await admin.get(crds, { name }));
    });
    expect(await generationOf(name)).toBe('1');
  });

  it('lets one change through that was allowed, and not the next', async () => {
    const name = await provide();
    await expect(widen(installer, name)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(`kubectl annotate --overwrite crd ${name} ${allowSchemaChangeAnnotation}=1`),
    });
    await expect(annotate(installer, name, '1')).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('approve-schema'),
    });
    await annotate(approver, name, '1');
    await widen(installer, name);
    await expect(widen(installer, name)).rejects.toMatchObject(refused);
    expect(await generationOf(name)).toBe('2');
    // A word that was given for another schema.
    await expect(annotate(installer, name, null)).resolves.toBeDefined();
    await annotate(approver, name, '1');
    await expect(widen(installer, name)).rejects.toMatchObject(refused);
  });

  it('takes the word and the change in one request, from who may give it', async () => {
    const name = await provide();
    const both = (client: Client): Promise<unknown> =>
      client.patch(
        crds,
        { name },
        {
          type: 'merge',
          patch: {
            metadata: { annotations: { [allowSchemaChangeAnnotation]: '1' } },
            spec: { names: { shortNames: ['db'] } },
          },
        },
      );
    await expect(both(installer)).rejects.toMatchObject(refused);
    await both(approver);
    expect(await generationOf(name)).toBe('2');
  });

  it('keeps who has no word from going around it', async () => {
    const name = await provide();
    await expect(
      installer.patch(
        crds,
        { name },
        { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': null } } } },
      ),
    ).rejects.toMatchObject(refused);
    await expect(
      installer.patch(
        crds,
        { name },
        { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': 'false' } } } },
      ),
    ).rejects.toMatchObject(refused);
    await expect(installer.delete(crds, { name })).rejects.toMatchObject(refused);
    await expect(admin.delete(crds, { name })).rejects.toMatchObject(refused);
    await annotate(approver, name, '1');
    await installer.delete(crds, { name });
    await eventually(
      async () => {
        await expect(admin.get(crds, { name })).rejects.toMatchObject({ code: 'NotFound' });
      },
      { timeoutMs: 60_000 },
    );
  });

  it('leaves CRDs alone that are not exported', async () => {
    const name = await provide({ 'kube-bind.io/exported': 'false' });
    await widen(installer, name);
    await installer.patch(
      crds,
      { name },
      { type: 'merge', patch: { metadata: { labels: { 'kube-bind.io/exported': 'true' } } } },
    );
    await expect(widen(installer, name)).rejects.toMatchObject(refused);
  });
});
