import { DirectDispatcher, createApiServer } from '@hawser/apiserver';
import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { kubeBindDialect, resources } from '@hawser/kube-bind';
import { expect, it } from '@jest/globals';
import { Identities } from './identity.js';

it('asks about each of 300 new tokens once, in turns, and turns none away', async () => {
  let asked = 0;
  const server = createApiServer({
    faults: ({ path }) => {
      if (path.includes('/tokenreviews')) asked++;
      return undefined;
    },
  });
  const client = createClient({
    name: 'provider',
    connection: { server: 'https://api.invalid', credentials: { kind: 'token', token: server.adminToken } },
    dispatcher: () => new DirectDispatcher({ server }),
  });
  const account = { namespace: 'default', name: kubeBindDialect.names.binder };
  await client.create(resources.serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const tokens: string[] = [];
  for (let at = 0; at < 300; at++) {
    const answer = (await client.raw('POST', `/api/v1/namespaces/default/serviceaccounts/${account.name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 3_600 + at },
    })) as { readonly status: { readonly token: string } };
    tokens.push(answer.status.token);
  }
  const identities = new Identities(client, systemClock, [kubeBindDialect]);
  // Each konnector makes some requests at once.
  const found = await Promise.all(
    [...tokens, ...tokens].map((token) => identities.identify(`Bearer ${token}`, '192.0.2.1')),
  );
  expect(new Set(found.map(({ token }) => token)).size).toBe(300);
  expect(asked).toBe(300);
  await client.close();
  server.stop();
});
