import { expect, it } from '@jest/globals';

import type { Client } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type CustomResourceDefinition, kubeBindDialect } from '@hawser/kube-bind';

import { createStoredObjects } from './stored-objects.js';

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Database', plural: 'databases' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
} as unknown as CustomResourceDefinition;

it('reads the objects of one consumer at a time, and goes on after one that fails', async () => {
  let [reading, most] = [0, 0];
  const client = {
    name: 'provider',
    list: async (_resource: unknown, { namespace = '' }: { readonly namespace?: string }) => {
      most = Math.max(most, ++reading);
      for (let turn = 0; turn < 5; turn++)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      reading--;
      if (namespace === 'c3') throw new TypeError('broken');
      return { metadata: {}, items: [] };
    },
  } as unknown as Client;
  const stored = createStoredObjects(client, kubeBindDialect, new FakeClock(), 1_000);
  const asked = Array.from({ length: 16 }, (_, index) => `c${index}`);
  const { signal } = new AbortController();
  const answers = await Promise.allSettled(
    asked.map((name) =>
      stored.check(
        { consumer: `${name}/databases`, clusterNamespace: name, namespaces: [name], crd, hash: 'h' },
        signal,
      ),
    ),
  );
  expect(most).toBe(1);
  expect(answers.map(({ status }) => status)).toEqual(asked.map((name) => (name === 'c3' ? 'rejected' : 'fulfilled')));
});
