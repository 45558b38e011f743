import type { CustomResourceDefinition } from '@hawser/kube-bind';

/** The CRD that a BoundSchema asks for, without owner. */
export interface WantedCRD {
  readonly name: string;
  readonly spec: CustomResourceDefinition['spec'];
  /** Equal for equal specs; what an approval names. */
  readonly hash: string;
  /** Names that the BoundSchema has and the CRD does not get. */
  readonly dropped?: readonly string[] | undefined;
}
