import { type KubeObject, objectKey } from '@hawser/client';
import { generationChanged, type Setup, toOwnKey, type Watched } from '@hawser/controller';
import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';

const bySchema = 'export/boundschema';

export interface ExportCaches {
  readonly exports: Watched<APIServiceExport>;
  readonly boundSchemas: Watched<BoundSchema>;
  readonly requests: Watched<APIServiceExportRequest>;
}

/** Watches exports, and what each must match. */
export function watchExports({ clusters: { provider }, watch }: Setup<'provider'>): ExportCaches {
  const exports = watch<APIServiceExport>(
    provider,
    { resource: resources.apiServiceExports, kind: 'APIServiceExport' },
    toOwnKey,
  );
  exports.addIndex(bySchema, ({ metadata: { namespace }, spec }) =>
    spec.resources.map((resource) => objectKey({ namespace, name: resourceGroupName(resource) })),
  );
  const ofSchema = (schema: KubeObject): readonly string[] =>
    exports.byIndex(bySchema, objectKey(schema)).map(objectKey);
  return {
    exports,
    // Konnectors write the status of BoundSchemas, which is not hashed.
    boundSchemas: watch<BoundSchema>(provider, { resource: resources.boundSchemas, kind: 'BoundSchema' }, ofSchema, {
      changed: generationChanged,
    }),
    // A request and its export have the same name.
    requests: watch<APIServiceExportRequest>(
      provider,
      { resource: resources.apiServiceExportRequests, kind: 'APIServiceExportRequest' },
      toOwnKey,
      {
        changed: (before, after) =>
          before.metadata.uid !== after.metadata.uid || before.status?.phase !== after.status?.phase,
      },
    ),
  };
}
