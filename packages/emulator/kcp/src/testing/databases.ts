import type { JsonObject } from '@hawser/json';
import type { Kcp } from '../create-kcp.js';
import { eventually } from './eventually.js';
import { request } from './request.js';

/** Path of the databases in namespace `default` below a workspace. */
export const databases = 'apis/example.com/v1/namespaces/default/databases';

const APIS = 'apis/apis.kcp.io/v1alpha2';
const SCHEMAS = 'apis/apis.kcp.io/v1alpha1/apiresourceschemas';

/** A claim in v1alpha2. */
export const claim = (resource: string): JsonObject => ({ group: '', resource, verbs: ['*'] });

export const databaseSchema = (prefix: string, spec: JsonObject = { size: { type: 'string' } }): JsonObject => ({
  apiVersion: 'apis.kcp.io/v1alpha1',
  kind: 'APIResourceSchema',
  metadata: { name: `${prefix}.databases.example.com` },
  spec: {
    group: 'example.com',
    names: { plural: 'databases', singular: 'database', kind: 'Database', listKind: 'DatabaseList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: spec },
            status: { type: 'object', properties: { phase: { type: 'string' } } },
          },
        },
      },
    ],
  },
});

/** Exports databases from a workspace, as `example.com`. */
export async function exportDatabases(
  kcp: Kcp,
  workspace: string,
  permissionClaims: readonly JsonObject[] = [],
): Promise<void> {
  await made(kcp, `/clusters/${workspace}/${SCHEMAS}`, databaseSchema('v1'));
  await made(kcp, `/clusters/${workspace}/${APIS}/apiexports`, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIExport',
    metadata: { name: 'example.com' },
    spec: {
      resources: [
        { name: 'databases', group: 'example.com', schema: 'v1.databases.example.com', storage: { crd: {} } },
      ],
      permissionClaims,
    },
  });
}

/** Binds them in another workspace; resolves once bound. */
export async function bind(
  kcp: Kcp,
  workspace: string,
  provider: string,
  accepted: readonly JsonObject[] = [],
): Promise<void> {
  await made(kcp, `/clusters/${workspace}/${APIS}/apibindings`, {
    apiVersion: 'apis.kcp.io/v1alpha2',
    kind: 'APIBinding',
    metadata: { name: 'example' },
    spec: {
      reference: { export: { path: provider, name: 'example.com' } },
      permissionClaims: accepted.map((each) => ({ ...each, selector: { matchAll: true }, state: 'Accepted' })),
    },
  });
  await eventually(async () => {
    const { body } = await request(kcp, 'GET', `/clusters/${workspace}/${APIS}/apibindings/example`);
    if ((body as { status?: { phase?: string } }).status?.phase !== 'Bound')
      throw new Error(`binding of ${workspace} is not bound: ${JSON.stringify(body)}`);
  });
}

/** Creates an object. Throws if refused. */
export async function made(kcp: Kcp, path: string, object: JsonObject): Promise<void> {
  const { status, body } = await request(kcp, 'POST', path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
}
