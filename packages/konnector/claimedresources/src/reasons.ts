/** Why a claim, or a claimed object, is not served. Cause, actor and remedy of each are in `@hawser/reasons`. */
export type ClaimReason =
  | 'ClaimNotSupported'
  | 'ClaimedObjectUndecided'
  | 'ClaimedObjectExists'
  | 'ClaimedByAnotherProvider'
  | 'ClaimedByAnotherConsumer'
  | 'ClaimedObjectProtected'
  | 'ClaimedCopyLeftOver'
  | 'ClaimedObjectDrifting'
  | 'Paused'
  | 'NamespacePending'
  | 'ConsumerNamespaceMissing'
  | 'RejectedByProvider'
  | 'RejectedByConsumer'
  | 'ForbiddenByProvider'
  | 'ForbiddenOnConsumer'
  | 'FailedOnProvider'
  | 'FailedOnConsumer';
