import { stringify } from 'yaml';
import type { CustomResourceDefinition } from './custom-resource-definition.js';

/** A CRD as a manifest for `kubectl apply`. The same CRD gives the same text. */
export function crdYAML(crd: CustomResourceDefinition): string {
  return stringify(crd, { lineWidth: 0, aliasDuplicateObjects: false });
}
