import { type Client, createClient, type UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { describeWithControlPlane, sharedControlPlane, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { consumerCRDs, controlPlaneCRDs, installCRDs, providerCRDs, resources } from './index.js';

describeWithControlPlane('CRDs of Klutch', () => {
  let client: Client;
  const all = [...providerCRDs, ...consumerCRDs, ...controlPlaneCRDs];
  beforeAll(async () => {
    client = createClient({ name: 'provider', connection: (await sharedControlPlane('provider')).connection });
    await installCRDs(client, all, { clock: systemClock });
  });
  afterAll(() => client.close());

  it('are taken by an API server, and written once', async () => {
    const again = await installCRDs(client, all, { clock: systemClock });
    expect([...again.values()]).toEqual(all.map(() => 'unchanged'));
  });

  it('keep every option of a claim, those that nobody acts on as well', async () => {
    const claims = [{ group: '', resource: 'secrets', selector: { names: ['*'], owner: 'Provider' }, required: true, read: { labels: [{ pattern: 'a*' }] }, update: { fields: ['data'] }, onConflict: { recreateWhenConsumerSideDeleted: false } }];
    const name = uniqueNamespace('template');
    await client.create(resources.apiServiceExportTemplates, { apiVersion: 'example-backend.klutch.anynines.com/v1alpha1', kind: 'APIServiceExportTemplate', metadata: { name }, spec: { apiServiceSelector: { group: 'example.com', resource: 'databases' }, permissionClaims: claims } } as UnstructuredObject);
    expect(await client.get(resources.apiServiceExportTemplates, { name })).toMatchObject({ spec: { permissionClaims: claims } });
  });
});
