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
  /** Whose APIServiceNamespaces. */
  readonly dialect: Dialect;
  /** How consumers are kept apart: it names the namespaces (spec/kube-bind-backend.md §9). */
  readonly isolation: Isolation;
  /** What becomes of the namespace of a deleted APIServiceNamespace. Default `Never`: it stays, and a recreated one gets it back. */
  readonly reclaim?: ReclaimPolicy | undefined;
  /** When to look again at a namespace that is to be reclaimed and still holds something. Default 10 min. */
  readonly reclaimRetryMs?: number | undefined;
  /** Namespaces that no consumer gets, under isolation None above all. Default: those of Kubernetes itself, but not `default`. */
  readonly reservedNamespaces?: readonly string[] | undefined;
  /**
   * Names that consumers may have under isolation None; `*` stands for any characters. Default: none. `kube-*` and names of ours and of Klutch are given to nobody. What a consumer has stays, and what the
   * operator has opened by annotation needs no entry.
   */
  readonly consumerNamespaces?: readonly string[] | undefined;
  /** With these begin namespaces that the provider makes for itself, such as cluster namespaces; under isolation None no consumer gets such a name. */
  readonly ownPrefixes?: readonly string[] | undefined;
  /** Namespaces that are made for one consumer; those that it has stay. One counts until it is deleted. Default 1 000. */
  readonly namespacesPerConsumer?: number | undefined;
  /** Waited for before `status.namespace` is written. Default: rights are nobody's business here. */
  readonly rights?: NamespaceRights | undefined;
  /** APIServiceNamespaces that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

const kubernetesNamespaces: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];
/** Nothing tells that a namespace was not made whose creation got no answer. */
const unsureAgainMs = 60_000;

/**
 * Gives each APIServiceNamespace its namespace on the provider and writes the name into `status.namespace` (spec/kube-bind-backend.md §10.6).
 *
 * A namespace that exists is taken over only if its annotation names the same APIServiceNamespace, except under isolation None. What stands in the
 * way is told by an Event on the APIServiceNamespace, which has no conditions, and waits for a change.
 * Nothing is deleted unless `reclaim` says so, and then only what is proven to be empty and ours.
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
      // An APIServiceNamespace that is gone is nothing that an Event could be about.
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

/** What stands in the way is told, and waits for a change. */
function nextOf({ action, verdict }: Judgement, { isUnsure }: Observed): Decision<Action> {
  if (action !== undefined) return { actions: [action] };
  if (verdict.kind !== 'held') return { actions: [] };
  return {
    actions: [],
    event: problemEvent(verdict.problem),
    requeueAfterMs: verdict.problem.kind === 'tooMany' && isUnsure === true ? unsureAgainMs : undefined,
  };
}
