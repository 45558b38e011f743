import { createHash } from 'node:crypto';
import type { V1alpha1APIServiceExportCRDSpec } from '../kinds/api-service-export.js';
import { encodeNames, encodeVersion } from '@hawser/crd';
import { goArray, goString, goStruct, goRaw } from '@hawser/json';

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The hash of a CRD in v1alpha1: SHA-224 in base 62 (spec/kube-bind-api.md §13.3). Nothing on the wire needs it today. */
export function v1alpha1Hash(spec: V1alpha1APIServiceExportCRDSpec): string {
  const json = goStruct([
    ['group', goString(spec.group)],
    ['names', encodeNames(spec.names)],
    ['scope', goString(spec.scope)],
    [
      'versions',
      goArray(spec.versions, (version) =>
        encodeVersion(version, goStruct([['openAPIV3Schema', goRaw(version.schema.openAPIV3Schema)]])),
      ),
    ],
  ]);
  const sum = createHash('sha224').update(json, 'utf8').digest('hex');
  return base62(BigInt(`0x${sum}`));
}

function base62(value: bigint): string {
  let rest = value;
  let text = '';
  do {
    text = (digits[Number(rest % 62n)] ?? '') + text;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}
