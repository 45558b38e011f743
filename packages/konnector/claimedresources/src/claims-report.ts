import type { ControllerContext } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type APIServiceBinding, commitStatus, getCondition, resources } from '@hawser/kube-bind';

import { CLAIMS_IN_SYNC, claimsInSync } from './claims-in-sync.js';
import { type ClaimsTold, untoldProblems } from './decide-report.js';

/** Tells on bindings, by condition and Events, what keeps their claims from being served. */
export class ClaimsReport {
  readonly #ctx: ControllerContext<'consumer'>;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  /** By binding: what was said of its claims as a whole last. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(ctx: ControllerContext<'consumer'>, bindings: InformerHandle<APIServiceBinding>) {
    this.#ctx = ctx;
    this.#bindings = bindings;
  }

  async tell(binding: APIServiceBinding, { problems, events }: ClaimsTold, signal: AbortSignal): Promise<void> {
    const {
      clock,
      random,
      clusters: { consumer },
    } = this.#ctx;
    const {
      apiVersion,
      kind,
      metadata: { name, uid },
    } = binding;
    const before = getCondition(binding.status?.conditions, CLAIMS_IN_SYNC)?.message ?? '';
    const written = await commitStatus<APIServiceBinding>(
      consumer.client,
      resources.apiServiceBindings,
      binding,
      (status) => claimsInSync(status, problems, clock.now()),
      { clock, random, signal },
    );
    if (written !== undefined) this.#bindings.observe(written);
    const untold = untoldProblems(events, this.#told.get(name) ?? new Set<string>(), before);
    this.#told.set(name, new Set(events.map(({ message }) => message)));
    for (const { reason, message } of untold)
      consumer.events.record({ apiVersion, kind, name, uid }, { type: 'Warning', reason, message });
  }
}
