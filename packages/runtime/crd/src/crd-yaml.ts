import { stringify } from 'yaml';
import type { CustomResourceDefinition } from './custom-resource-definition.js';

/** Formats a CRD as a manifest for `kubectl apply`. Deterministic. */
export function crdYAML(crd: CustomResourceDefinition): string {
  return stringify(crd, { lineWidth: 0, aliasDuplicateObjects: false });
}
