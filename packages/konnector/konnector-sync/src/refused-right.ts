import { type ApiError, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';

/** Command that prints and applies the roles of a side. */
export const GRANT_ON_PROVIDER = '`hawser rbac --roles provider | kubectl apply -f -`';
export const GRANT_ON_CONSUMER = '`hawser rbac --side consumer | kubectl apply -f -`';

type Side = 'consumer' | 'provider';
/** Who acts for a side. */
type SideActor = 'provider' | 'operator';

const actorOf = (side: Side): SideActor => (side === 'provider' ? 'provider' : 'operator');

export type RefusalProblem = Problem & {
  readonly reason: 'ForbiddenByProvider' | 'ForbiddenOnConsumer';
  readonly actor: SideActor;
};

/** Additions to the sentence about a refusal. */
export interface RefusalOptions {
  /** What does not work until then: a sentence. */
  readonly consequence: string;
  /** Number of further namespaces refused alike. */
  readonly more?: number | undefined;
  /** Field of the chart that lists such resources. */
  readonly chart: 'boundResources' | 'claimedResources';
}

/** Describes the refused request, with the server's words. */
export function refusedRequest(error: ApiError, side: Side): string {
  const { verb, resource, namespace } = error.request;
  return `Cannot ${verb} ${resource}${namespace === undefined ? '' : ` in namespace "${namespace}"`} on the ${side}: ${error.status?.message ?? error.message}.`.replace(
    /([.!?])\.$/u,
    '$1',
  );
}

/** The side that refused. */
export function refusingSide(error: unknown): Side {
  return isApiError(error) && error.request.cluster === 'provider' ? 'provider' : 'consumer';
}

/** Explains an object whose content its API server rejects. `remedy`: a sentence. */
export function rejectedProblem(
  error: ApiError,
  side: Side,
  remedy: string,
): Problem & { readonly reason: 'RejectedByProvider' | 'RejectedByConsumer'; readonly actor: Side } {
  return {
    reason: side === 'provider' ? 'RejectedByProvider' : 'RejectedByConsumer',
    message: `${refusedRequest(error, side)} ${remedy}`,
    actor: side,
  };
}

/** Explains a request that an API server does not serve. */
export function unservedProblem(
  error: ApiError,
  side: Side,
): Problem & { readonly reason: 'FailedOnProvider' | 'FailedOnConsumer'; readonly actor: SideActor } {
  return {
    reason: side === 'provider' ? 'FailedOnProvider' : 'FailedOnConsumer',
    message: refusedRequest(error, side),
    actor: actorOf(side),
  };
}

/** Explains a step that was repeated several times and is needed again. `what`: what it does, in words. */
export function undoneStepProblem(
  side: Side,
  what: string,
): Problem & { readonly reason: 'WritesUndone'; readonly actor: SideActor } {
  const actor = actorOf(side);
  return {
    reason: 'WritesUndone',
    message: `On the ${side}, ${what} does not stay as written: an admission webhook or policy, or another client, undoes it. The ${actor} has to have it leave that alone. It is written again by itself, ever less often.`,
    actor,
  };
}

/**
 * Explains a refusal (401, 403) to a person: the refused request, what does not work, who must act, and the command.
 * The only place for these words: conditions, Events, `hawser why` and `hawser doctor` agree, for bound and for claimed
 * objects.
 */
export function refusalProblem(
  error: ApiError,
  side: Side,
  { consequence, more = 0, chart }: RefusalOptions,
): RefusalProblem {
  const alike = more === 0 ? '' : ` The same goes for ${more} more ${more === 1 ? 'namespace' : 'namespaces'}.`;
  const message = `${refusedRequest(error, side)}${alike} ${consequence} ${remedyOf(error, side, chart)}`;
  return side === 'provider'
    ? { reason: 'ForbiddenByProvider', message, actor: 'provider' }
    : { reason: 'ForbiddenOnConsumer', message, actor: 'operator' };
}

function remedyOf(error: ApiError, side: Side, chart: RefusalOptions['chart']): string {
  const who = side === 'provider' ? 'The provider' : 'The operator';
  const serverMessage = error.status?.message ?? error.message;
  if (isApiError(error, 'Unauthorized'))
    return side === 'provider'
      ? 'The provider must renew the credential of this consumer.'
      : 'The operator must renew the credential of the konnector.';
  // Both have the code of a missing right.
  if (isDenied(serverMessage))
    return `${who} must let the konnector do that, as by an exception in the admission webhook or policy that the message names.`;
  if (/exceeded quota/u.test(serverMessage)) return `${who} must raise the quota.`;
  return `${who} must grant this right: ${side === 'provider' ? GRANT_ON_PROVIDER : `${GRANT_ON_CONSUMER}, or ${chart} of the chart`}.`;
}

/** Whether a webhook or policy refused; it may use the code of missing rights. */
export function isDenied(serverMessage: string): boolean {
  return /admission webhook|AdmissionPolicy/u.test(serverMessage);
}
