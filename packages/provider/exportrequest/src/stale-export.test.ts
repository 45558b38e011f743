import type { Faults } from '@hawser/apiserver';
import type { KubeObject } from '@hawser/client';
import { type APIServiceExport, type APIServiceExportRequest, type BoundSchema, resources } from '@hawser/kube-bind';
import { eventually, uniqueNamespace } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type EmbeddedProvider, openEmbeddedProvider } from '../../servicenamespace/src/testing/embedded-provider.js';
import { createExportRequestController } from './export-request-controller.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const group = 'example.com';
let provider: EmbeddedProvider;
beforeAll(async () => {
  provider = await openEmbeddedProvider();
  await provider.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `databases.${group}`, labels: { 'kube-bind.io/exported': 'true' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'databases', singular: 'database', kind: 'databases', listKind: 'databasesList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
});
afterAll(() => provider.close());

/** From `begin` on, watches of one resource tell nothing any more, and the patches of another are noted. */
function silenced(
  watched: string,
  written: string,
): { readonly faults: Faults; readonly writes: readonly string[]; begin(): void } {
  let isSilent = false;
  const writes: string[] = [];
  return {
    writes,
    begin: () => {
      isSilent = true;
    },
    faults({ method, path }) {
      if (isSilent && method === 'PATCH' && path.includes(`/${written}/`)) writes.push(path);
      if (method !== 'GET' || !path.includes(`/${watched}?`) || !path.includes('watch=')) return undefined;
      return {
        wrap: (sink) => ({
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
    },
  };
}

it('an export that is cached and exists no more is given nothing: the garbage collector would take that away again and again', async () => {
  const namespace = uniqueNamespace('consumer');
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const silence = silenced('apiserviceexports', 'boundschemas');
  const running = await provider.run(
    [createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed' })],
    silence.faults,
  );
  const key = { namespace, name: 'databases' };
  const answered = async (reason: string | undefined): Promise<APIServiceExportRequest | undefined> =>
    eventually(async () => {
      const found = await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key);
      expect(found?.status).toMatchObject({ phase: 'Succeeded' });
      expect(found?.status?.conditions?.find(({ type }) => type === 'ExportsReady')).toMatchObject(
        reason === undefined ? { status: 'True' } : { status: 'False', reason },
      );
      return found;
    });
  await provider.create(resources.apiServiceExportRequests, {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: key,
    spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }] },
  });
  await answered(undefined);
  const found = await provider.read<APIServiceExport>(resources.apiServiceExports, key);
  const schema = await provider.read<BoundSchema>(resources.boundSchemas, { namespace, name: `databases.${group}` });
  expect(found).toBeDefined();

  silence.begin();
  await provider.client.delete(resources.apiServiceExports, key);
  await answered('ExportNotFound');
  // As a backup brings them back: made one for the other, and not for what is cached. Nothing is missing then, so that nothing else has the export read.
  const again = await provider.create(resources.apiServiceExports, {
    apiVersion,
    kind: 'APIServiceExport',
    metadata: { ...key, annotations: found?.metadata.annotations },
    spec: found?.spec,
  });
  const owner = { apiVersion, kind: 'APIServiceExport', name: 'databases', uid: again.metadata.uid ?? '' };
  await provider.create(resources.boundSchemas, {
    apiVersion,
    kind: 'BoundSchema',
    metadata: {
      namespace,
      name: `databases.${group}`,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    spec: schema?.spec,
  });
  await answered(undefined);
  expect(silence.writes).toEqual([]);
  const owners = async (): Promise<unknown> =>
    (
      await provider.read<KubeObject>(resources.boundSchemas, { namespace, name: `databases.${group}` })
    )?.metadata.ownerReferences?.map(({ uid }) => uid);
  expect(await owners()).toEqual([again.metadata.uid]);
  await running.stop();
}, 60_000);

it('a request that is cached and exists no more is not answered again and again: its watch may be silent for minutes', async () => {
  const namespace = uniqueNamespace('consumer');
  await provider.create(resources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const silence = silenced('apiserviceexportrequests', 'apiserviceexportrequests');
  const running = await provider.run(
    [createExportRequestController({ informerScope: 'Cluster', isolation: 'Prefixed' })],
    silence.faults,
  );
  const key = { namespace, name: 'databases' };
  await provider.create(resources.apiServiceExportRequests, {
    apiVersion,
    kind: 'APIServiceExportRequest',
    metadata: key,
    spec: { resources: [{ group, resource: 'databases', versions: ['v1'] }] },
  });
  await eventually(async () => {
    expect(
      (await provider.read<APIServiceExportRequest>(resources.apiServiceExportRequests, key))?.status,
    ).toMatchObject({ phase: 'Succeeded' });
  });

  silence.begin();
  await provider.client.delete(resources.apiServiceExportRequests, key);
  await provider.client.delete(resources.apiServiceExports, key);
  await eventually(() => {
    expect(silence.writes.length).toBeGreaterThan(0);
  });
  // Each event of what belongs to it has it looked at again; who writes until the cache has heard would do so eight times a second.
  const later = Date.now() + 2_500;
  await eventually(() => {
    expect(Date.now()).toBeGreaterThan(later);
  });
  expect(silence.writes.length).toBeLessThan(6);
  await running.stop();
}, 60_000);
