import { administrator, type ApiServer, createApiServer, DirectDispatcher } from '@hawser/apiserver';
import { type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { isProtectedGroup } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { OpenAPIOffers } from './openapi-offers.js';

let server: ApiServer;
let client: Client;
let isDown: boolean;
let notifications: number;
let offers: OpenAPIOffers;

beforeEach(() => {
  server = createApiServer({ controllerManager: false });
  client = createClient({
    name: 'provider',
    connection: { server: 'http://api.test', credentials: { kind: 'none' } },
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
  });
  isDown = false;
  notifications = 0;
  const raw: Client['raw'] = (...asked) => (isDown ? Promise.reject(new Error('down')) : client.raw(...asked));
  offers = new OpenAPIOffers({ ...client, raw }, isProtectedGroup, () => notifications++);
});
afterEach(async () => {
  await offers.close();
  await client.close();
  server.stop();
});

async function serve(plural: string): Promise<void> {
  const crd = crdOf(
    { group: 'example.org', plural, kind: `K${plural}`, scope: 'Namespaced' },
    { properties: { spec: { type: 'object', properties: { size: { type: 'string' } } } }, statusSubresource: true },
  );
  await client.create(customResourceDefinitions, crd);
  await eventually(
    async () => {
      expect(JSON.stringify(await client.raw('GET', '/openapi/v3/apis/example.org/v1'))).toContain(`"K${plural}"`);
    },
    { clock: systemClock },
  );
}

it('makes a CRD of each API that is not of Kubernetes, and keeps them while the provider cannot be read', async () => {
  await offers.refresh();
  expect(offers).toMatchObject({ hasSynced: true, failure: undefined });
  expect(offers.list()).toEqual([]);
  await serve('widgets');
  await offers.refresh();
  expect(offers.get({ name: 'widgets.example.org' })).toMatchObject({
    spec: {
      group: 'example.org',
      names: { plural: 'widgets', kind: 'Kwidgets' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { properties: { spec: { properties: { size: { type: 'string' } } } } } },
          subresources: { status: {} },
        },
      ],
    },
  });
  const before = notifications;
  await offers.refresh();
  expect(notifications).toBe(before);
  isDown = true;
  await offers.refresh();
  expect(offers.failure).toBeDefined();
  expect(offers.list()).toHaveLength(1);
});
