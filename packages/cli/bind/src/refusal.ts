/** Why hawser does not do something, for the person who must act. */
export interface Refusal {
  /** CamelCase, stable. */
  readonly reason: RefusalReason;
  readonly message: string;
  readonly actor: 'consumer' | 'operator' | 'provider';
  readonly remedy: string;
}

export type RefusalReason =
  | 'NotOnboarded'
  | 'OnboardingFailed'
  | 'OnboardingUnsupported'
  | 'AnswerMissing'
  | 'TemplateNotFound'
  | 'TemplateAmbiguous'
  | 'RequestDiffers'
  | 'RequestFailed'
  | 'RequestSpent'
  | 'ClaimsUndecided'
  | 'ExportDiffers'
  | 'BindingDiffers'
  | 'BindingTerminating'
  | 'SecretTaken'
  | 'ForeignCRD'
  | 'ResourceBound'
  | 'ConnectionDiffers'
  | 'NotExported'
  | 'ClusterScopedAPI'
  | 'NamespaceTerminating'
  | 'BindingNotFound'
  | 'BindingPaused'
  | 'CRDNotFound'
  | 'NothingBound'
  | 'ObjectsTerminating'
  | 'ObjectsElsewhere'
  | 'ClaimsNotMigrated'
  | 'OtherProvider'
  | 'PlaceDiffers'
  | 'ObjectNotFound'
  | 'ObjectAmbiguous'
  | 'ObjectNotSynced'
  | 'ObjectNotSelected'
  | 'ConnectionNotReady'
  | 'MoveUnderWay';

/** One line for a terminal. */
export function refusalText({ reason, message, actor, remedy }: Refusal): string {
  return `${reason}: ${message} Who acts: the ${actor} (${remedy}).`;
}

/** Refuses to unbind what is not there. `binding` names it with its kind. */
export function bindingNotFound(binding: string): Refusal {
  return {
    reason: 'BindingNotFound',
    actor: 'operator',
    remedy: 'looks at hawser bindings',
    message: `There is no ${binding} on the consumer.`,
  };
}
