import { createHash } from 'node:crypto';
import { type GroupResource, isDeleting, metaOf, objectField, stringField, withAt } from '@hawser/apiserver';
import { type JsonObject, equal } from '@hawser/json';
import { withConditions } from '../conditions.js';
import { EXPORTS, SLICES } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { PATH, SKIP_ENDPOINT_SLICE } from '../names.js';
import { BY_KCP, type ControllerHost, STATUS_BY_KCP } from './controller.js';

const SECRETS: GroupResource = { group: '', resource: 'secrets' };
const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' };
const IDENTITIES = 'kcp-system';

/** Gives an export its identity and its default endpoint slice. */
export function syncExport(host: ControllerHost, cluster: LogicalCluster, name: string): void {
  const export_ = cluster.objects.get(EXPORTS, { namespace: '', name });
  if (export_ === undefined || isDeleting(export_)) return;
  const identified = withIdentity(cluster, export_);
  const updated = withHash(host, cluster, identified);
  if (!equal(updated, identified)) cluster.objects.update(EXPORTS, updated, STATUS_BY_KCP);
  if (metaOf(export_).annotations?.[SKIP_ENDPOINT_SLICE] === undefined) makeSlice(cluster, export_);
}

function withIdentity(cluster: LogicalCluster, export_: JsonObject): JsonObject {
  const { name = '' } = metaOf(export_);
  if (objectField(objectField(objectField(export_, 'spec'), 'identity'), 'secretRef') !== undefined) return export_;
  if (cluster.objects.get(NAMESPACES, { namespace: '', name: IDENTITIES }) === undefined) {
    cluster.objects.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: IDENTITIES } }, BY_KCP);
  }
  if (cluster.objects.get(SECRETS, { namespace: IDENTITIES, name }) === undefined) {
    const key = createHash('sha256').update(cluster.server.host.newUid()).digest('hex');
    cluster.objects.create(
      SECRETS,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: IDENTITIES },
        type: 'Opaque',
        data: { key: Buffer.from(key).toString('base64') },
      },
      BY_KCP,
    );
  }
  return cluster.objects.update(
    EXPORTS,
    withAt(export_, ['spec', 'identity'], { secretRef: { name, namespace: IDENTITIES } }),
    BY_KCP,
  );
}

function withHash(host: ControllerHost, cluster: LogicalCluster, export_: JsonObject): JsonObject {
  const reference = objectField(objectField(objectField(export_, 'spec'), 'identity'), 'secretRef');
  const key = { namespace: stringField(reference, 'namespace'), name: stringField(reference, 'name') };
  const data = stringField(objectField(cluster.objects.get(SECRETS, key), 'data'), 'key');
  if (data === '') {
    const message = `secret ${key.namespace}/${key.name} has no key`;
    return withConditions(
      export_,
      [{ type: 'IdentityValid', status: 'False', severity: 'Error', reason: 'IdentityVerificationFailed', message }],
      host.timestamp(),
    );
  }
  const hash = createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex');
  return withAt(
    withConditions(export_, [{ type: 'IdentityValid', status: 'True' }], host.timestamp()),
    ['status', 'identityHash'],
    hash,
  );
}

function makeSlice(cluster: LogicalCluster, export_: JsonObject): void {
  const { name = '', uid = '', annotations } = metaOf(export_);
  if (cluster.objects.get(SLICES, { namespace: '', name }) !== undefined) return;
  cluster.objects.create(
    SLICES,
    {
      apiVersion: 'apis.kcp.io/v1alpha1',
      kind: 'APIExportEndpointSlice',
      metadata: { name, ownerReferences: [{ apiVersion: 'apis.kcp.io/v1alpha1', kind: 'APIExport', name, uid }] },
      spec: { export: { path: annotations?.[PATH] ?? cluster.path, name } },
    },
    BY_KCP,
  );
}
