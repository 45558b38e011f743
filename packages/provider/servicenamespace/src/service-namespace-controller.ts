import { type Controller, controller, type Decision, type Setup } from '@hawser/controller';
import { controllerName, type Dialect, type Isolation } from '@hawser/kube-bind';
import { act, type ActOptions, fieldManager } from './act.js';
import { decide } from './decide.js';
import type { Action, Judgement } from './decision.js';
import { refusedEvent } from './events.js';
import { openMemory } from './memory.js';
import { watchNamespaces } from './namespace-caches.js';
import type { NamespaceRights } from './namespace-rights.js';
import { counted, observe } from './observe.js';
import type { Observed, ReclaimPolicy, Settings } from './observed.js';
import { problemEvent } from './problem.js';

export interface ServiceNamespaceOptions {
  /** Dialect of the APIServiceNamespaces. */
  readonly dialect: Dialect;
  /** How consumers are kept apart; determines the names of namespaces (spec/kube-bind-backend.md §9). */
  readonly isolation: Isolation;
  /**
   * Policy for the namespace of a deleted APIServiceNamespace. Default `Never`: it stays, and a recreated one gets it
   * back.
   */
  readonly reclaim?: ReclaimPolicy | undefined;
  /** Delay before a namespace with content is checked again for reclaiming. Default 10 min. */
  readonly reclaimRetryMs?: number | undefined;
  /**
   * Namespaces that no consumer gets, mainly for isolation None. Default: those of Kubernetes itself, but not
   * `default`.
   */
  readonly reservedNamespaces?: readonly string[] | undefined;
  /**
   * Names open to consumers under isolation None; `*` stands for any characters. Default: none. `kube-*` and names of
   * ours and of Klutch are never given. Assigned namespaces stay, and a namespace opened by annotation needs no entry.
   */
  readonly consumerNamespaces?: readonly string[] | undefined;
  /**
   * Prefixes of the provider's own namespaces, such as cluster namespaces; under isolation None no consumer gets such a
   * name.
   */
  readonly ownPrefixes?: readonly string[] | undefined;
  /** Limit of namespaces made for one consumer; existing ones stay. One counts until it is deleted. Default 1 000. */
  readonly namespacesPerConsumer?: number | undefined;
  /** Awaited before `status.namespace` is written. Default: no rights are given here. */
  readonly rights?: NamespaceRights | undefined;
  /** APIServiceNamespaces processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const kubernetesNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];
/** No event reports that a namespace without an answer to its creation was not made: look again after this time. */
const unsureAgainMs = 60_000;

/**
 * Gives each APIServiceNamespace its namespace on the provider and writes the name into `status.namespace`
 * (spec/kube-bind-backend.md §10.6).
 *
 * Takes over an existing namespace only if its annotation names the same APIServiceNamespace, except under isolation
 * None. Reports an obstacle by an Event on the APIServiceNamespace, which has no conditions, and waits for a change.
 * Deletes a namespace only under `reclaim`, and only if it is proven to be empty and ours.
 */
export function createServiceNamespaceController(options: ServiceNamespaceOptions): Controller<'provider'> {
  const { dialect, rights, reclaimRetryMs = 600_000, concurrency } = options;
  const name = controllerName('servicenamespace', dialect);
  const settings = settingsOf(options, dialect);
  return controller(name, (setup: Setup<'provider'>) => {
    const caches = watchNamespaces(setup, settings, name);
    const memory = openMemory(setup, caches);
    const actOptions: ActOptions = {
      dialect,
      client: setup.clusters.provider.client,
      logger: setup.logger,
      caches,
      memory,
      rights,
      reclaimRetryMs,
    };
    return {
      concurrency,
      fieldManager,
      observe: (key) => observe(settings, caches, memory, key),
      lastLook: (observed) => counted(settings, caches, memory, observed),
      decide: (observed) => nextOf(decide(settings, observed), observed),
      act: (action, signal) => act(actOptions, action, signal),
      // A deleted APIServiceNamespace cannot have an Event.
      about: ({ serviceNamespace }, _, action) =>
        action?.type === 'reclaim'
          ? caches.namespaces.about(action.namespace)
          : caches.serviceNamespaces.about(serviceNamespace),
      refused: refusedEvent,
    };
  });
}

function settingsOf(options: ServiceNamespaceOptions, dialect: Dialect): Settings {
  return {
    dialect,
    isolation: options.isolation,
    reclaim: options.reclaim ?? 'Never',
    reservedNamespaces: options.reservedNamespaces ?? kubernetesNamespaces,
    consumerNamespaces: options.consumerNamespaces ?? [],
    ownPrefixes: options.ownPrefixes ?? [],
    namespacesPerConsumer: options.namespacesPerConsumer ?? 1_000,
  };
}

/** Reports an obstacle, and waits for a change. */
function nextOf({ action, verdict }: Judgement, { isUnsure }: Observed): Decision<Action> {
  if (action !== undefined) return { actions: [action] };
  if (verdict.kind !== 'held') return { actions: [] };
  return {
    actions: [],
    event: problemEvent(verdict.problem),
    requeueAfterMs: verdict.problem.kind === 'tooMany' && isUnsure === true ? unsureAgainMs : undefined,
  };
}
