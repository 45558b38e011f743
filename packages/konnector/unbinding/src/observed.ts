import type { Resource } from '@hawser/client';
import type { APIServiceBinding } from '@hawser/kube-bind';

/** A bound object, reduced to what unbinding needs. */
export interface ObjectLeft {
  /** `namespace/name`, or `name`. */
  readonly name: string;
  readonly key: { readonly namespace?: string | undefined; readonly name: string };
  readonly uid: string | undefined;
  readonly deletingSince: string | undefined;
  readonly finalizers: readonly string[];
  /** Last recorded namespace and uid of its copy. */
  readonly copy: string | undefined;
}

/** What is left of one bound resource. */
export interface ResourceLeft {
  readonly crd: { readonly name: string; readonly uid: string | undefined; readonly deleting: boolean };
  /** Undefined: no version is served, so its objects are unreachable. */
  readonly resource: Resource | undefined;
  readonly objects: readonly ObjectLeft[];
}

export interface Observed {
  readonly binding: APIServiceBinding;
  /** Read live, and only if the decision depends on it: see `needsObjects`. */
  readonly left: readonly ResourceLeft[];
}
