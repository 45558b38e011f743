import type { ControllerContext } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type APIServiceBinding, getCondition } from '@hawser/kube-bind';
import { BindingStatuses, type ServedBindings } from '@hawser/konnector-connection';

import type { BindingPolicies } from './binding-policies.js';
import {
  type ResourceProblem,
  OBJECTS_IN_SYNC,
  objectsInSync,
  resourceProblemText,
  unreportedProblems,
} from './objects-in-sync.js';
import { policyConditions, policyEvents } from './policy-conditions.js';
import type { RunningSync } from './sync-set.js';

export interface ObjectsReportOptions {
  readonly ctx: ControllerContext<'consumer' | 'provider'>;
  readonly signal: AbortSignal;
  readonly bindings: InformerHandle<APIServiceBinding>;
  readonly served: ServedBindings;
  readonly policies: BindingPolicies;
  /** The syncs of an export. */
  readonly running: (name: string) => readonly RunningSync[];
  /** Problems that keep whole resources of an export from being synced. */
  readonly blocked: (name: string) => readonly ResourceProblem[];
}

/** Reports on each binding what is out of sync, and what its policies hold. */
export class ObjectsReport {
  readonly #options: ObjectsReportOptions;
  readonly #statuses: BindingStatuses;
  /** By binding: the problems of its resources reported last. */
  readonly #reported = new Map<string, ReadonlySet<string>>();

  constructor(options: ObjectsReportOptions) {
    const { clock, random, clusters } = options.ctx;
    this.#options = options;
    this.#statuses = new BindingStatuses({ ...clusters.consumer, clock, random });
  }

  /** Resolves to the milliseconds until the rest may be written, where the API server drops it; 0: all is written. */
  async report(name: string): Promise<number> {
    const {
      ctx: {
        clock,
        clusters: { consumer },
      },
      signal,
      bindings,
      served,
      policies,
    } = this.#options;
    const binding = bindings.get(name);
    if (binding === undefined || !served.has(name)) return 0;
    const running = this.#options.running(name);
    const objects = running.flatMap(({ sync }) => sync.problems());
    const ofResources = [
      ...this.#options.blocked(name),
      ...running.flatMap(({ sync, config }) =>
        sync.troubles().map((trouble): ResourceProblem => ({ ...trouble, resource: config.crdName })),
      ),
    ];
    const surveyed = running.length > 0 && running.every(({ sync }) => sync.surveyed);
    const budget = policies.budget(binding);
    if (surveyed) budget.surveyed();
    const facts = {
      reading: policies.read(binding),
      held: budget.held,
      perMinute: budget.perMinute,
      heldKnown: surveyed,
    };
    const problems = { objects, resources: ofResources };
    // Absence of problems is known only after all objects were processed; until then the former report stays.
    const known = objects.length > 0 || ofResources.length > 0 || surveyed;
    const before = getCondition(binding.status?.conditions, OBJECTS_IN_SYNC)?.message ?? '';
    const { binding: written, waitMs } = await this.#statuses.write(
      binding,
      (status) => {
        const now = clock.now();
        return policyConditions(known ? objectsInSync(status, problems, now) : status, facts, now);
      },
      signal,
    );
    const {
      apiVersion: version,
      kind,
      metadata: { uid },
    } = binding;
    for (const event of policyEvents(binding.status, written?.status))
      consumer.events.record({ apiVersion: version, kind, name, uid }, { type: 'Warning', ...event });
    if (!known) return waitMs;
    const unreported = unreportedProblems(ofResources, this.#reported.get(name) ?? new Set<string>(), before);
    this.#reported.set(name, new Set(ofResources.map(resourceProblemText)));
    // Objects have their own Events; a resource has only its binding.
    for (const problem of unreported)
      consumer.events.record(
        { apiVersion: version, kind, name, uid },
        { type: 'Warning', reason: problem.reason, message: resourceProblemText(problem) },
      );
    return waitMs;
  }

  /** Forgets a binding whose export is gone. */
  forget(name: string): void {
    this.#reported.delete(name);
  }
}
