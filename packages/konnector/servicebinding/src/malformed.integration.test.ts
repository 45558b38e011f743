import type { Controller } from '@hawser/controller';
import { type APIServiceExport, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type KonnectorPair, openKonnectorPair } from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from './index.js';

describeWithControlPlane("servicebinding, an export of another shape than the contract's", () => {
  let pair: KonnectorPair;
  let controller: Controller<'consumer' | 'provider'>;
  let context: ReturnType<KonnectorPair['context']>;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    context = pair.context();
    controller = createServiceBinding({ connection: pair.connection, schemaPolicy: 'Always' });
  });
  afterEach(async () => {
    await controller.stop();
    await pair.close();
  });

  /** Shows the konnector an export as an API server with a looser CRD would. */
  async function show(name: string, spec: object): Promise<void> {
    const informer = context.clusters.provider.informers.acquire<APIServiceExport>({
      resource: resources.apiServiceExports,
      namespace: pair.clusterNamespace,
    });
    const found = await pair.provider.get<APIServiceExport>(resources.apiServiceExports, {
      namespace: pair.clusterNamespace,
      name,
    });
    const resourceVersion = String(BigInt(found.metadata.resourceVersion ?? '0') + 1n);
    informer.observe({
      ...found,
      metadata: { ...found.metadata, resourceVersion, generation: 99 },
      spec: { ...found.spec, ...spec },
    });
    informer.release();
  }

  it.each<[string, object, string]>([
    ['resources that are a text', { resources: 'databases' }, 'spec.resources must be of type array, is string'],
    ['claims that are an object', { permissionClaims: {} }, 'spec.permissionClaims must be of type array, is object'],
    [
      'versions that are null',
      { resources: [{ group: 'example.com', resource: 'databases', versions: null }] },
      'spec.resources[0].versions must be of type array, is null',
    ],
  ])('with %s is told on its binding, and takes nothing away; others go on', async (_, spec, words) => {
    const [name, neighbour] = [pair.nameFor('databases'), pair.nameFor('queues')];
    for (const plural of ['databases', 'queues']) {
      await pair.createSchema(plural);
      await pair.createExport(pair.nameFor(plural), [plural]);
    }
    await controller.start(context);
    await pair.bind(name);
    await pair.bind(neighbour);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await pair.becomes(neighbour, 'Ready', { status: 'True' });
    const before = await pair.crd('databases');
    const { status } = await pair.binding(name);
    await show(name, spec);
    await pair.becomes(name, 'Connected', { status: 'False', reason: 'MalformedExport', message: words });
    await pair.becomes(name, 'Ready', { status: 'False', reason: 'MalformedExport' });
    expect((await pair.condition(name, 'Connected'))?.message).toContain('Provider: ');
    expect(await pair.crd('databases')).toEqual(before);
    expect((await pair.binding(name)).status).toMatchObject({ boundSchemas: status?.boundSchemas });
    // What happens to the schema of another export finds its binding.
    await pair.provider.delete(resources.boundSchemas, {
      namespace: pair.clusterNamespace,
      name: `queues.${pair.group}`,
    });
    await pair.becomes(neighbour, 'Connected', { status: 'False', reason: 'BoundSchemaFetchFailed' });
    await pair.provider.patch(
      resources.apiServiceExports,
      { namespace: pair.clusterNamespace, name },
      { type: 'merge', patch: { metadata: { annotations: { corrected: 'twice' } } } },
    );
    await pair.provider.patch(
      resources.apiServiceExports,
      { namespace: pair.clusterNamespace, name },
      { type: 'merge', patch: { metadata: { annotations: { corrected: 'yes' } } } },
    );
    await pair.becomes(name, 'Ready', { status: 'True' });
    await eventually(() => {
      expect(pair.events.some((event) => event.includes('MalformedExport'))).toBe(true);
    });
  });
});
