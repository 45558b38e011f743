import type { Resource } from '@hawser/client';
import { type Controller, createController } from '@hawser/controller';
import { type APIServiceBinding, claimId, consentRecordOf } from '@hawser/kube-bind';
import type { ProviderConnection } from '@hawser/konnector-connection';

import type { AskedClaim } from './claim.js';
import type { Decision } from './decision.js';
import type { Marks } from './marks.js';
import { RunningClaims } from './running-claims.js';

export interface ClaimedResourcesOptions {
  readonly connection: ProviderConnection;
  /** Objects of one resource that are worked on at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** How long problems are gathered before the binding's condition is written. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
  /** How long the provider may take to assign a namespace before that is a problem. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** How many objects may come to the consumer by the claims of one binding. Default 1 000. */
  readonly maxObjects?: number | undefined;
  /** Copies that go in a minute although the deletion of their originals was not seen; of more, none goes before an operator approves it. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** How long such an original must have been missing. Default 60 000 ms. */
  readonly missingGraceMs?: number | undefined;
  /** Which resources can be claimed: those of kube-bind's contract (the default), or any namespaced one that both sides serve. */
  readonly claimable?: 'Contract' | 'Any' | undefined;
  /** How objects say which side they belong to. Default: as in kube-bind. */
  readonly marks?: Marks | undefined;
  /** The claims of a binding that are accepted. Default: those in its status. */
  readonly claimsOf?: ((binding: APIServiceBinding) => readonly AskedClaim[]) | undefined;
  /** How long after a refusal an API server is asked again whether it serves a claimed resource. Default 30 000 ms. */
  readonly discoveryRetryMs?: number | undefined;
}

/** The controller of a connection's claims, and a view of them for `plan` and `why`. */
export interface ClaimedResourcesController extends Controller<'consumer' | 'provider'> {
  /** Resolves when nothing is in flight any more for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
  /** What would be done now for `namespace/name` of the consumer; undefined while no claim is on that resource. Writes nothing. */
  plan(resource: Resource, object: string): Decision | undefined;
}

const NAME = 'claimedresources';

/** Those in the status, which another konnector may have widened, as far as the record has them; where there is none yet, the status is it. */
export function acceptedClaims(binding: APIServiceBinding): readonly AskedClaim[] {
  const record = consentRecordOf(binding);
  const claims = binding.status?.permissionClaims ?? [];
  return record === undefined ? claims : claims.filter((claim) => record.has(claimId(claim)));
}

/**
 * Serves the permission claims of the bindings of one connection (`spec/konnector.md §10`): those in the status of each APIServiceBinding, which has only
 * claims that the consumer accepts. Objects that a claim selects are copied from the side that they belong to, to the other; problems are told by
 * Events and the condition `ClaimsInSync`.
 */
export function createClaimedResources(options: ClaimedResourcesOptions): ClaimedResourcesController {
  let running: RunningClaims | undefined;
  const controller = createController<'consumer' | 'provider'>(NAME, async (ctx, scope) => {
    running = new RunningClaims({ ...options, claimsOf: options.claimsOf ?? acceptedClaims }, NAME, ctx, scope);
    await running.fill();
  });

  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    released: async () => {
      await running?.settled();
    },
    plan: (resource, object) => running?.plan(resource, object),
  };
}
