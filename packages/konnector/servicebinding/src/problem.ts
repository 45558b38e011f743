/**
 * Why a resource is not bound. The first group are reasons of the contract (spec/kube-bind-api.md §10.1); the peers do
 * not know the second.
 */
export type ProblemReason =
  | 'BoundSchemaFetchFailed'
  | 'CustomResourceDefinitionCreateFailed'
  | 'CustomResourceDefinitionUpdateFailed'
  | 'ForeignCustomResourceDefinition'
  | 'BoundSchemaInvalid'
  | 'CustomResourceDefinitionReadFailed'
  | 'CustomResourceDefinitionTerminating'
  | 'ProtectedAPIGroup'
  | 'APIGroupNotAllowed'
  | 'ConversionWebhookRefused';

/** Why no resource of an export syncs. */
export type ServingReason = 'ExportWithdrawn' | 'RightsMissing';

/** The provider does not serve an existing export. */
export interface ServingProblem {
  readonly reason: ServingReason;
  readonly message: string;
}

export interface Problem {
  readonly reason: ProblemReason;
  readonly message: string;
}
