import { sprigFunctions } from '@hawser/gotemplate';
import { expect } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { compileRelated, type PrimaryPair } from './index.js';

const functions = sprigFunctions({ clock: { now: () => 0 }, random: (size) => new Uint8Array(size) });

const primary = (tenant: string): PrimaryPair => {
  const object = { apiVersion: 'example.com/v1', kind: 'CronTab', metadata: { name: tenant, namespace: 'default' } };
  return { kcp: object, service: object, cluster: tenant, path: undefined };
};

roughEdge('RE-3', 'a selector is filled in for each object, and not once for all', async () => {
  const compilation = compileRelated(
    [
      {
        identifier: 'credentials',
        origin: 'service',
        kind: 'Secret',
        object: {
          selector: {
            matchLabels: { tenant: '{{ .RemoteObject.metadata.name }}' },
            rewrite: { template: { template: '{{ .Value }}' } },
          },
        },
      },
    ],
    { functions },
  );
  if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
  const asked: (string | undefined)[] = [];
  for (const tenant of ['blue', 'green']) {
    await compilation.value[0]?.resolve(primary(tenant), {
      get: () => Promise.resolve(undefined),
      list: (_resource, { labelSelector }) => {
        asked.push(labelSelector);
        return Promise.resolve([]);
      },
    });
  }
  expect(asked).toEqual(['tenant=blue', 'tenant=green']);
});
