import type { Setup, Watched } from '@hawser/controller';
import { createNamedWatches } from '@hawser/konnector-connection';
import { type APIServiceBinding, type ClusterBinding, type Secret, resources } from '@hawser/kube-bind';
import type { ClusterBindingOptions } from './clusterbinding.js';
import { type Round, bindingKey, bindingOf, mirrorKey, reportKey } from './decide-round.js';
import { createDestinations } from './destinations.js';
import { type Observer, observe } from './observe.js';
import type { Observed } from './observed.js';
import { rememberRefusal } from './refusal.js';
import type { ReportState } from './report-state.js';
import { clusterBindingsSpec } from './sources.js';

/** Watches both sides of a connection, and reads what decides about a key. */
export class ConnectionObserver {
  readonly bindings: Watched<APIServiceBinding>;
  readonly clusterBindings: Watched<ClusterBinding>;
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #state: ReportState;
  readonly #observer: Observer;

  constructor(setup: Setup<'consumer' | 'provider'>, options: ClusterBindingOptions, state: ReportState) {
    const { connection, version, policy = {} } = options;
    const { consumer, provider } = setup.clusters;
    const look = (): void => {
      setup.look(mirrorKey, { priority: 'normal', cures: true });
      setup.look(reportKey, 'normal');
    };
    this.#setup = setup;
    this.#state = state;
    this.bindings = setup.watch(
      consumer,
      { resource: resources.apiServiceBindings, kind: 'APIServiceBinding' },
      ({ metadata: { name } }, change) =>
        change === 'delete' || !connection.bindings.has(name) ? undefined : bindingKey(name),
    );
    const spec = { ...clusterBindingsSpec(connection), kind: 'ClusterBinding' };
    this.clusterBindings = setup.watch(provider, spec, () => reportKey);
    setup.watch(provider, spec, () => mirrorKey, { cures: true });
    setup.scope.own(this.clusterBindings.onStateChange(look));
    setup.scope.own(
      connection.bindings.onChange((binding) => {
        look();
        if (connection.bindings.has(binding)) setup.look(bindingKey(binding), 'normal');
      }),
    );
    const providerSecrets = createNamedWatches<Secret>(provider.informers, resources.secrets, look);
    const consumerSecrets = createNamedWatches<Secret>(consumer.informers, resources.secrets, look);
    setup.scope.own(providerSecrets);
    setup.scope.own(consumerSecrets);
    this.#observer = {
      connection,
      version,
      clusterBindings: this.clusterBindings,
      providerSecrets,
      consumerSecrets,
      refusal: rememberRefusal(connection.clusterNamespace, policy),
      destinations: createDestinations(connection, policy),
    };
  }

  observe(key: string): Round {
    const { clock } = this.#setup;
    const { secretValid, heartbeating } = this.#state;
    const waits = { waitMs: this.#state.waitMs(key), undoneMs: this.#state.undoneMs(key) };
    if (key === mirrorKey) return { kind: 'mirror', ...waits, seen: this.#look() };
    if (key === reportKey) return { kind: 'report', ...waits, seen: this.#look(), secretValid };
    return { kind: 'binding', ...waits, binding: this.served(bindingOf(key)), heartbeating, nowMs: clock.now() };
  }

  /** The binding of that name, if it exists and this connection serves it. */
  served(name: string): APIServiceBinding | undefined {
    return this.#observer.connection.bindings.has(name) ? this.bindings.get(name) : undefined;
  }

  /** The bindings that this connection serves. */
  all(): readonly APIServiceBinding[] {
    return this.#observer.connection.bindings.names().flatMap((name) => this.served(name) ?? []);
  }

  #look(): Observed {
    return observe(this.#observer, this.#state.heartbeat, this.#setup.clock.now());
  }
}
