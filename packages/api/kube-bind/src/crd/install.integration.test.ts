import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '@hawser/clock';
import { type Client, createClient } from '@hawser/client';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import type { APIServiceBinding } from '../kinds/api-service-binding.js';
import type { CRDVersion, CustomResourceDefinition } from '@hawser/crd';
import { resources } from '../resources.js';
import { crdOf, crds } from './crds.js';
import { installCRDs } from './install.js';

const options = { clock: systemClock };
const wanted = crdOf('APIServiceBinding');
const { name } = wanted.metadata;

/** A copy of a CRD whose versions `change` may edit. */
function edited(crd: CustomResourceDefinition, change: (versions: Mutable[]) => void): CustomResourceDefinition {
  const copy = structuredClone(crd);
  change(copy.spec.versions as unknown as Mutable[]);
  return copy;
}
type Mutable = { -readonly [K in keyof CRDVersion]: CRDVersion[K] };
type Node = { properties: Record<string, Node>; [field: string]: unknown };
const rootOf = (version: Mutable | CRDVersion | undefined): Node => version?.schema?.openAPIV3Schema as unknown as Node;

describeWithControlPlane('installCRDs', () => {
  let cluster: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    cluster = await startControlPlane();
    client = createClient({ name: 'consumer', connection: cluster.connection });
  });

  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  afterEach(async () => {
    await cluster.kubectl(['delete', 'crd', '--all', '--wait=false']);
    const left = async (): Promise<readonly CustomResourceDefinition[]> =>
      (await client.list<CustomResourceDefinition>(resources.customResourceDefinitions)).items;
    try {
      await eventually(async () => (await left()).length === 0, { timeoutMs: 30_000 });
    } catch {
      // An API server may take minutes until it looks again whether objects of a CRD are left. Here there are none.
      for (const crd of await left())
        await client.patch(
          resources.customResourceDefinitions,
          { name: crd.metadata.name },
          { type: 'merge', patch: { metadata: { finalizers: null } } },
        );
      await eventually(async () => (await left()).length === 0, { timeoutMs: 60_000 });
    }
  });

  const read = (): Promise<CustomResourceDefinition> =>
    client.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name });
  const install = (crd: CustomResourceDefinition): Promise<unknown> =>
    client.create(resources.customResourceDefinitions, crd);
  const writes = async (since: { offset: number }): Promise<string[]> =>
    (await cluster.auditLog().writes({ since, resource: 'customresourcedefinitions', user: 'admin' })).map(
      ({ verb }) => verb,
    );

  it('creates all that are missing and waits until they serve; a second run writes nothing', async () => {
    const outcomes = await installCRDs(client, crds, options);
    expect([...outcomes.entries()]).toEqual(crds.map(({ metadata }) => [metadata.name, 'created']));
    for (const { spec } of crds) {
      const installed = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, {
        name: `${spec.names.plural}.${spec.group}`,
      });
      expect(installed.status?.conditions?.find(({ type }) => type === 'Established')?.status).toBe('True');
      expect(installed.status?.conditions?.find(({ type }) => type === 'NonStructuralSchema')).toBeUndefined();
    }
    const since = await cluster.auditLog().mark();
    const again = await installCRDs(client, crds, options);
    expect(new Set(again.values())).toEqual(new Set(['unchanged']));
    expect(await writes(since)).toEqual([]);
  });

  it("two at once do not get in each other's way", async () => {
    const outcomes = await Promise.all([
      installCRDs(client, [wanted], options),
      installCRDs(client, [wanted], options),
    ]);
    expect(outcomes.map((outcome) => outcome.get(name)).sort()).toEqual(['created', 'unchanged']);
  });

  it('upgrades an older one, keeps what stands around it, and objects live on', async () => {
    const older = edited(wanted, (versions) => {
      versions.splice(1, 1);
      versions[0]!.storage = true;
    });
    await install({
      ...older,
      metadata: {
        name,
        labels: { team: 'a' },
        annotations: { note: 'b' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: 'x' }],
        finalizers: ['example.com/keep'],
      },
    });
    await cluster.kubectl(['wait', '--for=condition=Established', `crd/${name}`]);
    await cluster.kubectl(['create', '-f', '-'], {
      input: JSON.stringify({
        apiVersion: 'kube-bind.io/v1alpha1',
        kind: 'APIServiceBinding',
        metadata: { name: 'old' },
        spec: { kubeconfigSecretRef: { name: 's', key: 'kubeconfig', namespace: 'kube-bind' } },
      }),
    });
    const before = await read();
    expect((await installCRDs(client, [wanted], options)).get(name)).toBe('upgraded');
    const after = await read();
    expect(after.spec.versions.map((version) => [version.name, version.storage])).toEqual([
      ['v1alpha1', false],
      ['v1alpha2', true],
    ]);
    const { labels, annotations, ownerReferences, finalizers, uid } = before.metadata;
    expect(after.metadata).toMatchObject({ labels, annotations, ownerReferences, finalizers, uid });
    expect(
      (await client.get<APIServiceBinding>(resources.apiServiceBindings, { name: 'old' })).spec?.kubeconfigSecretRef
        .name,
    ).toBe('s');
    expect((await installCRDs(client, [wanted], options)).get(name)).toBe('unchanged');
    await cluster.kubectl(['patch', 'crd', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  });

  it('adds fields that are missing and takes none away', async () => {
    await install(
      edited(wanted, (versions) => {
        delete rootOf(versions[1]).properties['status']!.properties['boundSchemas'];
        rootOf(versions[1]).properties['status']!.properties['fresh'] = { type: 'string' } as unknown as Node;
      }),
    );
    expect((await installCRDs(client, [wanted], options)).get(name)).toBe('upgraded');
    const { properties } = rootOf((await read()).spec.versions[1]).properties['status']!;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['boundSchemas', 'fresh', 'conditions']));
  });

  it('leaves a newer one alone', async () => {
    await install(
      edited(wanted, (versions) => {
        versions[1]!.storage = false;
        rootOf(versions[1]).properties['spec']!.properties['fresh'] = { type: 'string' } as unknown as Node;
        versions.push({ ...structuredClone(versions[1]!), name: 'v1beta1', storage: true });
      }),
    );
    await cluster.kubectl(['wait', '--for=condition=Established', `crd/${name}`]);
    const before = await read();
    expect((await installCRDs(client, [wanted], options)).get(name)).toBe('unchanged');
    expect(await read()).toEqual(before);
  });

  it('waits for one that is being deleted, and creates it then', async () => {
    await install({ ...wanted, metadata: { name, finalizers: ['example.com/slow'] } });
    await client.delete(resources.customResourceDefinitions, { name });
    const installing = installCRDs(client, [wanted], options);
    await cluster.kubectl(['patch', 'crd', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    expect((await installing).get(name)).toBe('created');
  });

  it('says why one does not get established', async () => {
    await install({
      ...wanted,
      metadata: { name: 'others.kube-bind.io' },
      spec: {
        ...wanted.spec,
        names: { plural: 'others', kind: 'Other', singular: 'other', listKind: 'OtherList', shortNames: ['sb'] },
      },
    });
    await cluster.kubectl(['wait', '--for=condition=Established', 'crd/others.kube-bind.io']);
    const taken: CustomResourceDefinition = {
      ...wanted,
      spec: { ...wanted.spec, names: { ...wanted.spec.names, kind: 'Other' } },
    };
    await expect(installCRDs(client, [taken], { ...options, timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'NotEstablished',
      crd: name,
      message: expect.stringContaining('NamesAccepted'),
    });
  });

  it('touches no CRD of another group, and none that means something else', async () => {
    const foreign: CustomResourceDefinition = {
      ...wanted,
      metadata: { name: 'x.example.com' },
      spec: { ...wanted.spec, group: 'example.com' },
    };
    const since = await cluster.auditLog().mark();
    await expect(installCRDs(client, [foreign], options)).rejects.toMatchObject({ code: 'NotOurs' });
    expect(await writes(since)).toEqual([]);
    await install({ ...wanted, spec: { ...wanted.spec, scope: 'Namespaced' } });
    await expect(installCRDs(client, [wanted], options)).rejects.toMatchObject({
      code: 'Incompatible',
      message: expect.stringContaining('scope Namespaced'),
    });
    expect((await read()).spec.scope).toBe('Namespaced');
  });

  it('needs no right to write where everything is there', async () => {
    await installCRDs(client, [wanted], options);
    await cluster.kubectl([
      'create',
      'clusterrole',
      'crd-reader',
      '--verb=get',
      '--resource=customresourcedefinitions',
    ]);
    await cluster.kubectl(['create', 'clusterrolebinding', 'crd-reader', '--clusterrole=crd-reader', '--user=reader']);
    const reader = createClient({ name: 'consumer', connection: (await cluster.userAccess('reader')).connection });
    try {
      expect((await installCRDs(reader, [wanted], options)).get(name)).toBe('unchanged');
      await expect(installCRDs(reader, [crdOf('APIServiceBindingBundle')], options)).rejects.toMatchObject({
        code: 'Failed',
        message: expect.stringContaining('forbidden'),
      });
    } finally {
      await reader.close();
    }
  });

  it('survives a server that is away for a while', async () => {
    let installing: Promise<ReadonlyMap<string, string>> | undefined;
    await cluster.restartApiServer({
      whileDown: () => {
        installing = installCRDs(client, [wanted], options);
        return Promise.resolve();
      },
    });
    expect((await installing)?.get(name)).toBe('created');
  });

  it('stops when it is told to', async () => {
    const abort = new AbortController();
    await install({ ...wanted, metadata: { name, finalizers: ['example.com/slow'] } });
    await client.delete(resources.customResourceDefinitions, { name });
    const installing = installCRDs(client, [wanted], { ...options, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(installing).rejects.toThrow(/enough|abort/iu);
    await cluster.kubectl(['patch', 'crd', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  });
});
