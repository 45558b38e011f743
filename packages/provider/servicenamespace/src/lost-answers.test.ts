import type { Faults } from '@hawser/apiserver';
import { type APIServiceNamespace, kubeBindDialect, resources } from '@hawser/kube-bind';
import { eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createServiceNamespaceController } from './service-namespace-controller.js';
import { type EmbeddedProvider, openEmbeddedProvider } from './testing/embedded-provider.js';

const apiVersion = 'kube-bind.io/v1alpha2';
let provider: EmbeddedProvider;
beforeAll(async () => {
  provider = await openEmbeddedProvider();
});
afterAll(() => provider.close());

it('no more namespaces are made for a consumer than the bound where the answers to their creation are lost, and the watch tells of none', async () => {
  const consumer = uniqueNamespace('consumer');
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: consumer } });
  const names = Array.from({ length: 12 }, (_, index) => `team-${index}`);
  const lost = new Set<string>();
  let isSilent = true;
  const faults: Faults = ({ method, path, body }) => {
    if (method === 'GET' && path.startsWith('/api/v1/namespaces') && path.includes('watch='))
      return {
        wrap: (sink) => ({
          ...sink,
          head: (...answer) => {
            sink.head(...answer);
          },
          data: (chunk) => {
            if (!isSilent) sink.data(chunk);
          },
          end: () => {
            sink.end();
          },
          fail: (error) => {
            sink.fail(error);
          },
        }),
      };
    if (method !== 'POST' || path.split('?')[0] !== '/api/v1/namespaces') return undefined;
    const text = String(body);
    if (lost.has(text)) return undefined;
    lost.add(text);
    return {
      wrap: (sink) => ({
        head: () => {
          sink.fail(new Error('the connection broke'));
        },
        data: () => undefined,
        end: () => undefined,
        fail: () => undefined,
      }),
    };
  };
  const running = await provider.run(
    [createServiceNamespaceController({ dialect: kubeBindDialect, isolation: 'Prefixed', namespacesPerConsumer: 5 })],
    faults,
  );
  for (const name of names)
    await provider.create(resources.apiServiceNamespaces, {
      apiVersion,
      kind: 'APIServiceNamespace',
      metadata: { name, namespace: consumer },
      spec: {},
    });
  const made = async (): Promise<number> =>
    (await provider.client.list(resources.namespaces)).items.filter(({ metadata: { name } }) =>
      name.startsWith(`${consumer}-`),
    ).length;
  const assigned = async (): Promise<number> =>
    (
      await provider.client.list<APIServiceNamespace>(resources.apiServiceNamespaces, { namespace: consumer })
    ).items.filter(({ status }) => status?.namespace !== undefined).length;
  await eventually(() => {
    expect(provider.events.filter(({ event }) => event.reason === 'TooManyNamespaces').length).toBeGreaterThanOrEqual(
      7,
    );
  });
  expect(await made()).toBe(5);
  // Each of those that were made is found at the next try.
  await eventually(
    async () => {
      expect(await assigned()).toBe(5);
    },
    { timeoutMs: 30_000 },
  );
  isSilent = false;
  expect(await made()).toBe(5);
  await running.stop();
}, 60_000);
