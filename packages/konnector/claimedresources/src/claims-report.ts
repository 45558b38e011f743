import type { ControllerContext } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { BindingStatuses } from '@hawser/konnector-connection';
import { type APIServiceBinding, getCondition } from '@hawser/kube-bind';

import { CLAIMS_IN_SYNC, claimsInSync } from './claims-in-sync.js';
import { type ReportContent, unreportedProblems } from './decide-report.js';

/** Reports on bindings, by condition and Events, why their claims are not served. */
export class ClaimsReport {
  readonly #ctx: ControllerContext<'consumer'>;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #statuses: BindingStatuses;
  /** By binding: the last report on its claims as a whole. */
  readonly #reported = new Map<string, ReadonlySet<string>>();

  constructor(ctx: ControllerContext<'consumer'>, bindings: InformerHandle<APIServiceBinding>) {
    this.#ctx = ctx;
    this.#bindings = bindings;
    this.#statuses = new BindingStatuses({ ...ctx.clusters.consumer, clock: ctx.clock, random: ctx.random });
  }

  /** Resolves to the milliseconds until the rest may be written, where the API server drops it; 0: all is written. */
  async write(binding: APIServiceBinding, { problems, events }: ReportContent, signal: AbortSignal): Promise<number> {
    const {
      clock,
      clusters: { consumer },
    } = this.#ctx;
    const {
      apiVersion,
      kind,
      metadata: { name, uid },
    } = binding;
    const before = getCondition(binding.status?.conditions, CLAIMS_IN_SYNC)?.message ?? '';
    const { binding: written, waitMs } = await this.#statuses.write(
      binding,
      (status) => claimsInSync(status, problems, clock.now()),
      signal,
    );
    if (written !== undefined) this.#bindings.observe(written);
    const unreported = unreportedProblems(events, this.#reported.get(name) ?? new Set<string>(), before);
    this.#reported.set(name, new Set(events.map(({ message }) => message)));
    for (const { reason, message } of unreported)
      consumer.events.record({ apiVersion, kind, name, uid }, { type: 'Warning', reason, message });
    return waitMs;
  }
}
