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
  /** Objects of one resource processed in parallel. Default 4. */
  readonly concurrency?: number | undefined;
  /** How long to gather problems before writing the binding's condition. Default 2 000 ms. */
  readonly reportDelayMs?: number | undefined;
  /** Time the provider has to assign a namespace before it becomes a problem. Default 30 000 ms. */
  readonly namespaceGraceMs?: number | undefined;
  /** Maximum number of objects brought to the consumer by one binding's claims. Default 1 000. */
  readonly maxObjects?: number | undefined;
  /** Copies deleted per minute without a witnessed deletion of the original; more wait for approval. Default 10. */
  readonly deletionsPerMinute?: number | undefined;
  /** Minimum time such an original must be missing. Default 60 000 ms. */
  readonly missingGraceMs?: number | undefined;
  /** Claimable resources: kube-bind's contract (default), or any namespaced one that both sides serve. */
  readonly claimable?: 'Contract' | 'Any' | undefined;
  /** How objects mark their owner side. Default: kube-bind's marks. */
  readonly marks?: Marks | undefined;
  /** Accepted claims of a binding. Default: those in its status. */
  readonly claimsOf?: ((binding: APIServiceBinding) => readonly AskedClaim[]) | undefined;
  /** Time before a refused discovery of a claimed resource is retried. Default 30 000 ms. */
  readonly discoveryRetryMs?: number | undefined;
}

/** Controller of a connection's claims; exposes them for `plan` and `why`. */
export interface ClaimedResourcesController extends Controller<'consumer' | 'provider'> {
  /** Resolves when nothing is in flight for a binding that this connection no longer serves. */
  released(binding: string): Promise<void>;
  /** Plans the next step for the consumer's `namespace/name`; undefined without a claim on it. Writes nothing. */
  plan(resource: Resource, object: string): Decision | undefined;
}

const NAME = 'claimedresources';

/** Claims in the status that the record has too: another konnector may have widened it. Without a record, all. */
export function acceptedClaims(binding: APIServiceBinding): readonly AskedClaim[] {
  const record = consentRecordOf(binding);
  const claims = binding.status?.permissionClaims ?? [];
  return record === undefined ? claims : claims.filter((claim) => record.has(claimId(claim)));
}

/**
 * Serves the permission claims of one connection's bindings (`spec/konnector.md §10`): those in the status of each
 * APIServiceBinding, all accepted by the consumer. Copies each selected object from its owner's side to the other.
 * Reports problems by Events and the condition `ClaimsInSync`.
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
