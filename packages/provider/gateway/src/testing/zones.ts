import { type ApiServer, type ApiServerOptions, DirectDispatcher, createApiServer } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { expect } from '@jest/globals';

/** A cluster-scoped kind with any content. */
export const zones = { group: 'example.com', version: 'v1', resource: 'zones' };

/**
 * An API server in this process that serves zones, and writes nothing by itself any more: each run has the same
 * versions.
 */
export async function openZones(
  options: ApiServerOptions = {},
): Promise<{ readonly server: ApiServer; readonly client: Client }> {
  const server = createApiServer(options);
  const client = createClient({
    name: 'provider',
    connection: { server: 'https://api.invalid', credentials: { kind: 'token', token: server.adminToken } },
    dispatcher: () => new DirectDispatcher({ server }),
  });
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await client.create(resources.customResourceDefinitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'zones.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'zones', singular: 'zone', kind: 'Zone', listKind: 'ZoneList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  } as KubeObject);
  await eventually(async () => {
    const { status } = await client.get<KubeObject & { status?: { conditions?: { type: string; status: string }[] } }>(
      resources.customResourceDefinitions,
      { name: 'zones.example.com' },
    );
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  });
  await eventually(() => client.list(zones));
  return { server, client };
}
