import type { APIServiceExportRequestSpec } from './kinds/api-service-export-request.js';
import type { APIServiceExportTemplateSpec } from './kinds/api-service-export-template.js';

/**
 * The spec of a request that binds a template: the template's own fields, as far as a request has them
 * (spec/kube-bind-backend.md §7.4).
 */
export function requestSpecOf({
  resources,
  permissionClaims,
  namespaces,
  schemaUpdatePolicy,
}: Pick<
  APIServiceExportTemplateSpec,
  'resources' | 'permissionClaims' | 'namespaces' | 'schemaUpdatePolicy'
>): APIServiceExportRequestSpec {
  return {
    resources,
    ...(permissionClaims === undefined ? {} : { permissionClaims }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(schemaUpdatePolicy === undefined ? {} : { schemaUpdatePolicy }),
  };
}
