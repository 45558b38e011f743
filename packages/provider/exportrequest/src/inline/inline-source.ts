import { ConversionError, type CustomResourceDefinition } from '@hawser/kube-bind';
import { exportHash, type InlineCRDSpec, inlineSpecFromCRD } from '@hawser/klutch';

/** A CRD in the form that an export carries, with its hash. */
export type InlineSource =
  | { readonly kind: 'offered'; readonly spec: InlineCRDSpec; readonly hash: string }
  | { readonly kind: 'unusable'; readonly message: string };

/** Computes the {@link InlineSource} of a CRD; converts and hashes each CRD object once. */
export function createInlineSources(): (crd: CustomResourceDefinition) => InlineSource {
  // Cached objects are replaced when they change, so their identity is a version.
  const known = new WeakMap<CustomResourceDefinition, InlineSource>();
  return (crd) => {
    const source = known.get(crd) ?? inlineSource(crd);
    known.set(crd, source);
    return source;
  };
}

function inlineSource(crd: CustomResourceDefinition): InlineSource {
  try {
    const spec = inlineSpecFromCRD(crd);
    return { kind: 'offered', spec, hash: exportHash(spec) };
  } catch (error) {
    if (error instanceof ConversionError) return { kind: 'unusable', message: error.message };
    throw error;
  }
}
