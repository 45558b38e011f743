import { type Client, createClient, type UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { CustomResourceDefinition } from '@hawser/crd';
import { describeWithControlPlane, sharedControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { consumerCRDs, controlPlaneCRDs, installCRDs, providerCRDs, resources } from './index.js';

describeWithControlPlane('CRDs of Klutch', () => {
  let client: Client;
  const all = [...providerCRDs, ...controlPlaneCRDs];
  beforeAll(async () => {
    client = createClient({ name: 'provider', connection: (await sharedControlPlane('provider')).connection });
    await installCRDs(client, all, { clock: systemClock });
  });
  afterAll(() => client.close());

  it('are taken by an API server, and written once', async () => {
    const again = await installCRDs(client, all, { clock: systemClock });
    expect([...again.values()]).toEqual(all.map(() => 'unchanged'));
  });

  it('have cluster-scoped bindings in app clusters alone', async () => {
    const app = createClient({ name: 'consumer', connection: (await sharedControlPlane('consumer')).connection });
    try {
      expect([...(await installCRDs(app, consumerCRDs, { clock: systemClock })).keys()]).toEqual([
        'apiservicebindings.klutch.anynines.com',
      ]);
      const scopeOn = async (cluster: Client): Promise<string> =>
        (
          await cluster.get<CustomResourceDefinition>(
            { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
            { name: 'apiservicebindings.klutch.anynines.com' },
          )
        ).spec.scope;
      expect([await scopeOn(app), await scopeOn(client)]).toEqual(['Cluster', 'Namespaced']);
    } finally {
      await app.close();
    }
  });

  it('keep every option of a claim, those that nobody acts on as well', async () => {
    const claims = [
      {
        group: '',
        resource: 'secrets',
        selector: { names: ['*'], owner: 'Provider' },
        required: true,
        read: { labels: [{ pattern: 'a*' }] },
        update: { fields: ['data'] },
        onConflict: { recreateWhenConsumerSideDeleted: false },
      },
    ];
    const name = uniqueNamespace('template');
    await client.create(resources.apiServiceExportTemplates, {
      apiVersion: 'example-backend.klutch.anynines.com/v1alpha1',
      kind: 'APIServiceExportTemplate',
      metadata: { name, namespace: 'default' },
      spec: { APIServiceSelector: { group: 'example.com', resource: 'databases' }, permissionClaims: claims },
    } as UnstructuredObject);
    expect(await client.get(resources.apiServiceExportTemplates, { name, namespace: 'default' })).toMatchObject({
      spec: { permissionClaims: claims },
    });
  });
});
