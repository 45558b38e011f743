import type { CustomResourceDefinition } from '@hawser/kube-bind';

/** The CRD that a BoundSchema describes, without owner. */
export interface WantedCRD {
  readonly name: string;
  readonly spec: CustomResourceDefinition['spec'];
  /** Equal for equal specs; an approval names it. */
  readonly hash: string;
  /** Names in the BoundSchema that the CRD does not get. */
  readonly dropped?: readonly string[] | undefined;
}
