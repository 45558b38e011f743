import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { createSchemaStamper } from '@hawser/exportrequest';
import {
  annotations,
  type BoundSchema,
  type CustomResourceDefinition,
  kubeBindDialect,
  resources,
} from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type EmbeddedProvider, openEmbeddedProvider } from '../../servicenamespace/src/testing/embedded-provider.js';
import { createPropagationController } from './propagation-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const namespace = 'kube-bind-acme';
const group = 'undone.example.com';
const nine = Array.from({ length: 9 }, (_, n) => `things${n}`);

let provider: EmbeddedProvider;
/** The BoundSchemas as they were made, by name. */
let schemas: Map<string, KubeObject>;

beforeEach(async () => {
  provider = await openEmbeddedProvider();
  schemas = new Map();
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
afterEach(() => provider.close());

/** An export of these, each with a schema that is to be replaced. */
async function offer(plurals: readonly string[]): Promise<void> {
  for (const plural of plurals) {
    const crd = (await provider.create(resources.customResourceDefinitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: plural, kind: plural, listKind: `${plural}List` },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })) as CustomResourceDefinition;
    const source = createSchemaStamper().stamp(crd, { informerScope: 'Cluster', isolation: 'Prefixed' });
    if (source.kind !== 'offered') throw new Error(source.message);
    const boundSchema = await provider.create(resources.boundSchemas, {
      apiVersion,
      kind: 'BoundSchema',
      metadata: { name: crd.metadata.name, namespace, annotations: { [annotations.sourceSpecHash]: 'before' } },
      spec: source.spec,
    });
    schemas.set(crd.metadata.name, boundSchema);
  }
  await provider.client.create(resources.apiServiceExports, {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { name: 'db', namespace },
    spec: {
      resources: plurals.map((resource) => ({ group, resource, versions: ['v1'] })),
      informerScope: 'Cluster',
      isolation: 'Prefixed',
    },
  } as UnstructuredObject);
}

const json = { 'content-type': 'application/json' };
/** As a webhook that takes a change away again. */
const undone = (name: string) => ({ status: 200, headers: json, body: JSON.stringify(schemas.get(name)) });
/** As a webhook that refuses it. */
const refused = () => ({
  status: 403,
  headers: json,
  body: JSON.stringify({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    reason: 'Forbidden',
    code: 403,
    message: 'admission webhook "no.example.com" denied the request',
  }),
});

it('backs off where a policy undoes the schemas of an export of many resources', async () => {
  await offer(nine);
  const writes: number[] = [];
  await provider.run([createPropagationController({ dialect: kubeBindDialect })], (_, { verb, resource, name }) => {
    if (verb !== 'patch' || resource !== 'boundschemas') return undefined;
    writes.push(performance.now());
    return { instead: undone(name) };
  });
  const fourTries = 4 * nine.length;
  await eventually(() => {
    expect(writes.length).toBeGreaterThan(fourTries);
  });
  // Four tries have failed, with a back-off that grows from 50 ms.
  expect((writes[fourTries] ?? 0) - (writes[0] ?? 0)).toBeGreaterThan(150);
});

it.each([
  ['refuses', refused, ['things0', 'things1']],
  ['undoes', undone, ['things0', 'things1']],
  ['undoes, of many,', undone, nine],
] as const)('lets the schemas of an export flow although a policy %s one of them', async (_, answer, plurals) => {
  await offer(plurals);
  const first = `things0.${group}`;
  let tries = 0;
  await provider.run(
    [createPropagationController({ dialect: kubeBindDialect })],
    (_request, { verb, resource, name }) => {
      if (verb !== 'patch' || resource !== 'boundschemas' || name !== first) return undefined;
      tries++;
      return { instead: answer(name) };
    },
  );
  for (const plural of plurals.slice(1)) {
    await eventually(async () => {
      const key = { namespace, name: `${plural}.${group}` };
      const boundSchema = await provider.read<BoundSchema>(resources.boundSchemas, key);
      expect(boundSchema?.metadata.annotations?.[annotations.sourceSpecHash]).not.toBe('before');
    });
  }
  expect(tries).toBeLessThan(10);
  if (answer !== undone) return;
  const about = provider.events.flatMap(({ regarding, event }) =>
    event.reason === 'WritesUndone' ? [`${regarding.kind} ${regarding.name}`] : [],
  );
  expect(new Set(about)).toEqual(new Set(['APIServiceExport db']));
});
