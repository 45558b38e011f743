import { type Client, createClient } from '@hawser/client';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { isProtectedGroup } from '@hawser/kube-bind';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OpenAPIOffers } from './openapi-offers.js';

describeWithControlPlane('Offers of a kube-apiserver by OpenAPI', () => {
  let plane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'kbind-openapi' });
    client = createClient({ name: 'provider', connection: plane.connection });
  });
  afterAll(async () => {
    await client.close();
    await plane.stop();
  });

  const serve = (plural: string) =>
    client.create(
      customResourceDefinitions,
      crdOf(
        { group: 'example.org', plural, kind: `K${plural}`, scope: 'Namespaced' },
        { properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } } },
      ),
    );

  it('are read again only when the index says that a document has changed', async () => {
    const asked: string[] = [];
    const raw: Client['raw'] = (...request) => {
      asked.push(request[1]);
      return client.raw(...request);
    };
    const offers = new OpenAPIOffers({ ...client, raw }, isProtectedGroup, () => undefined);
    await serve('widgets');
    await eventually(async () => {
      await offers.refresh();
      expect(offers.get({ name: 'widgets.example.org' })).toBeDefined();
    });
    await eventually(async () => {
      asked.length = 0;
      for (let reading = 0; reading < 12; reading++) await offers.refresh();
      expect(asked.filter((path) => path !== '/apis' && path !== '/openapi/v3')).toEqual([]);
    });
    await serve('gadgets');
    await eventually(async () => {
      await offers.refresh();
      expect(offers.get({ name: 'gadgets.example.org' })).toBeDefined();
    });
    await offers.close();
  });
});
