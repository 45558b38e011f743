import {
  type AdmittedWrite,
  forbidden,
  metaOf,
  objectField,
  objectsField,
  stringField,
  withAt,
  withMeta,
} from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { formatFieldError } from '@hawser/schema';
import { resourceOfClaim } from '../kinds/claims.js';
import { EXPORTS, isClaimableBuiltIn } from '../kinds/types.js';
import type { LogicalCluster } from '../logical-cluster.js';
import { PATH } from '../names.js';

/** Records an export's workspace. */
export function admitExport(cluster: LogicalCluster, { object, previous }: AdmittedWrite): JsonObject {
  const annotations = metaOf(object).annotations ?? {};
  const placed =
    annotations[PATH] === cluster.path
      ? object
      : withMeta(object, { annotations: { ...annotations, [PATH]: cluster.path } });
  // The fields of an export are those of a Go type: its status is never missing.
  return previous === undefined ? withAt(placed, ['status'], {}) : placed;
}

export function validateExport({ object, version, user }: AdmittedWrite): void {
  if (user === undefined) return;
  const spec = objectField(object, 'spec');
  const refuse = (path: string, value: string, detail: string): never => {
    throw forbidden(
      EXPORTS,
      metaOf(object).name ?? '',
      formatFieldError({ type: 'FieldValueInvalid', path, value, detail }),
    );
  };
  objectsField(spec, 'permissionClaims').forEach((claim, index) => {
    if (stringField(claim, 'identityHash') === '' && !isClaimableBuiltIn(resourceOfClaim(claim))) {
      refuse(
        `spec.permissionClaims[${index}].identityHash`,
        '',
        'identityHash is required for API types that are not built-in',
      );
    }
  });
  if (version === 'v1alpha1') return;
  objectsField(spec, 'resources').forEach((resource, index) => {
    const suffix = `.${stringField(resource, 'name')}.${stringField(resource, 'group') || 'core'}`;
    const schema = stringField(resource, 'schema');
    if (!schema.endsWith(suffix)) refuse(`spec.resources[${index}].schema`, schema, `must end in ${suffix}`);
  });
}
