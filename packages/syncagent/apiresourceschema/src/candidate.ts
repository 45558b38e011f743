import { isApiError, messageOf, sentence } from '@hawser/client';
import type { APIResourceSchema } from '@hawser/kcp-api';
import { ProjectionError, project, toAPIResourceSchema } from './projection/index.js';
import type { Discover } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';

export type CandidateProblemReason = 'ProjectionInvalid' | 'ResourceNotDiscovered';

/** The schema for a PublishedResource, or the reason why there is none. */
export type Candidate =
  | {
      readonly kind: 'found';
      readonly schema: APIResourceSchema;
      /** Whether a CRD reports changes by events. */ readonly watched: boolean;
    }
  /** `error`: decides whether a retry can help; without one it cannot. */
  | {
      readonly kind: 'problem';
      readonly reason: CandidateProblemReason;
      readonly message: string;
      readonly error: Error | undefined;
    };

/** Discovers and projects. Rejects only when `signal` aborts. */
export async function candidateOf(
  object: PublishedResource,
  agentName: string,
  discover: Discover,
  signal: AbortSignal,
): Promise<Candidate> {
  const { apiGroup: group, kind } = object.spec.resource;
  let crd;
  try {
    crd = await discover({ group, kind }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const message = messageOf(error);
    const actor = isApiError(error)
      ? 'The operator must see that the API server answers, and may be asked by the agent.'
      : 'The provider must install it, or correct spec.resource.';
    return {
      kind: 'problem',
      reason: 'ResourceNotDiscovered',
      message: `${kind}${group === '' ? '' : ` in API group ${group}`} cannot be found on the service cluster: ${sentence(message)} ${actor}`,
      error: error instanceof Error ? error : new Error(message),
    };
  }
  try {
    // A CRD has a generation; a synthesised one has 0 (`spec/api-syncagent.md §8`).
    const generation = crd.metadata.generation ?? 0;
    return {
      kind: 'found',
      schema: toAPIResourceSchema(project(crd, object), { agentName, sourceGeneration: generation }),
      watched: generation > 0,
    };
  } catch (error) {
    if (!(error instanceof ProjectionError)) throw error;
    return {
      kind: 'problem',
      reason: 'ProjectionInvalid',
      message: `The resource cannot be published as the spec wants it: ${sentence(error.message)} The provider must correct the spec.`,
      error: undefined,
    };
  }
}
