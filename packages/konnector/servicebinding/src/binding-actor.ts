import { type Outcome, type Setup, done } from '@hawser/controller';
import { recordUndone } from '@hawser/konnector-connection';
import type { APIServiceBinding } from '@hawser/kube-bind';
import { act, note } from './act.js';
import type { BindingCaches } from './binding-caches.js';
import type { Paces } from './binding-observer.js';
import { commit, isReported } from './commit.js';
import type { ResourceResult, WantedConditions } from './conclude.js';
import { concludeBinding, nextLook } from './conclude-binding.js';
import type { StatusFields } from './decide.js';
import type { Action, RoundDecision } from './decide-round.js';
import { type HeldMetric, createHeldMetric, heldReasons } from './held-schemas.js';
import type { Attempt, Observed } from './observed.js';
import { resultOf } from './resource-action.js';
import type { ServiceBindingOptions } from './servicebinding.js';
import { reportOutcomes } from './schema-outcomes.js';
import { writeConsent } from './write-consent.js';

/** Carries out decisions about the bindings of one connection, and remembers their results. */
export class BindingActor {
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #options: ServiceBindingOptions;
  readonly #caches: BindingCaches;
  readonly #attempts: Map<string, Attempt>;
  readonly #paces: Paces;
  readonly #heldMetric: HeldMetric;

  constructor(
    setup: Setup<'consumer' | 'provider'>,
    options: ServiceBindingOptions,
    caches: BindingCaches,
    attempts: Map<string, Attempt>,
    paces: Paces,
  ) {
    this.#setup = setup;
    this.#options = options;
    this.#caches = caches;
    this.#attempts = attempts;
    this.#paces = paces;
    this.#heldMetric = createHeldMetric(setup.metrics);
    setup.scope.own(this.#heldMetric);
    setup.scope.own(
      caches.crds.addHandler({
        onDelete: ({ metadata }) => {
          attempts.delete(metadata.name);
        },
      }),
    );
    setup.scope.own(
      options.connection.bindings.onChange((name, change) => {
        if (change === 'left') options.outcomes?.forget(name);
      }),
    );
  }

  /** Takes in a decision. */
  follow(key: string, { export: found, settled }: RoundDecision): void {
    const { exportRequests } = this.#caches;
    if (found === 'missing') exportRequests.want(key);
    else if (found !== undefined) exportRequests.forget(key);
    if (found === 'notServed') this.#heldMetric.set(key, []);
    if (settled === undefined) return;
    for (const action of settled.actions)
      note({ attempts: this.#attempts, now: () => this.#setup.clock.monotonic() }, action);
    this.#conclude(key, settled.observed, settled.actions.map(resultOf));
  }

  async act(action: Action, signal: AbortSignal): Promise<Outcome | undefined> {
    switch (action.type) {
      case 'report':
        await this.#report(action.binding, action.fields, action.conditions, signal);
        return done;
      case 'bind':
        return this.#bind(action, signal);
    }
  }

  async #bind(
    { observed, decision, watched }: Extract<Action, { readonly type: 'bind' }>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { clock, logger, clusters } = this.#setup;
    const { client, events } = clusters.consumer;
    const { binding } = observed;
    const { name } = binding.metadata;
    const actor = {
      consumer: client,
      crds: this.#caches.crds,
      attempts: this.#attempts,
      now: () => clock.monotonic(),
      undone: (crd: string) => {
        recordUndone(events, binding, `the schema of CustomResourceDefinition ${crd}`);
      },
    };
    if (decision.resources.some(({ kind }) => kind === 'createCRD' || kind === 'updateCRD'))
      this.#paces.budget.spend(name, clock.monotonic());
    const { results, errors } = await act(actor, binding, decision.resources, signal);
    this.#conclude(name, observed, results);
    const current =
      decision.consent === undefined || this.#options.recordsConsent === false
        ? binding
        : await writeConsent(client, binding, decision.consent, logger, signal);
    if (current !== binding) this.#caches.bindings.observe(current);
    await this.#report(current, decision.status, concludeBinding(binding, decision, results), signal);
    if (errors.length > 0) throw errors[0];
    return nextLook(results, watched);
  }

  #conclude(key: string, { resources }: Observed, results: readonly ResourceResult[]): void {
    const { outcomes } = this.#options;
    if (outcomes !== undefined) reportOutcomes(outcomes, key, resources, results);
    this.#heldMetric.set(key, heldReasons(results));
  }

  async #report(
    binding: APIServiceBinding,
    fields: StatusFields,
    conditions: WantedConditions,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, clusters } = this.#setup;
    const { client, events } = clusters.consumer;
    const { budget, undone } = this.#paces;
    const { name } = binding.metadata;
    const written = await commit(client, binding, fields, conditions, { clock, random, signal, events });
    if (written === undefined) return;
    if (written !== binding) {
      budget.spend(name, clock.monotonic());
      if (!isReported(written, fields, conditions, clock.now())) {
        undone.done(name);
        recordUndone(events, binding, 'the status of this binding');
      }
    }
    this.#caches.bindings.observe(written);
  }
}
