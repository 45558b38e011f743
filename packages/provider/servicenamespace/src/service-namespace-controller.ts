import { type ApiError, type KubeObject, isRefusal, isTerminating } from '@hawser/client';
import { type Controller, ControllerError, createController, done, park, type Result } from '@hawser/controller';
import { type InformerHandle, UnderWay } from '@hawser/informer';
import { type APIServiceNamespace, apiServiceNamespaceKey, controllerName, type Dialect, hawserAnnotations, type Isolation, kubeBindDialect, resources } from '@hawser/kube-bind';
import { createTold, type EventMessage, type ObjectReference } from '@hawser/telemetry';
import { act, type ActOptions } from './act.js';
import { decide } from './decide.js';
import type { Action } from './decision.js';
import { consumerOf, ownerOf } from './marks.js';
import type { NamespaceRights } from './namespace-rights.js';
import type { Observed, ReclaimPolicy, Settings } from './observed.js';
import { assignedName, candidateNames, prefixesOf, unassignedName } from './placement.js';
import { problemEvent } from './problem.js';
import type { Reclaimed } from './reclaim.js';

export interface ServiceNamespaceOptions {
  /** Whose APIServiceNamespaces. Default: kube-bind's. */
  readonly dialect?: Dialect | undefined;
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
/** Create, assign, and one look to see that it is done; more only if somebody else is writing too. */
const maxRounds = 5;
/** A consumer that waits for more namespaces than these waits for others, too: whoever asks for thousands does not hold up whoever asks for one. */
const patience = 16;
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
  const { dialect = kubeBindDialect } = options;
  const name = controllerName('servicenamespace', dialect);
  const settings: Settings = {
    dialect,
    isolation: options.isolation,
    reclaim: options.reclaim ?? 'Never',
    reservedNamespaces: options.reservedNamespaces ?? kubernetesNamespaces,
    consumerNamespaces: options.consumerNamespaces ?? [],
    ownPrefixes: options.ownPrefixes ?? [],
    namespacesPerConsumer: options.namespacesPerConsumer ?? 1_000,
  };
  const reclaimRetryMs = options.reclaimRetryMs ?? 600_000;
  const byConsumer = `${name}/consumer`;
  const unassigned = `${name}/unassigned`;
  const byClusterNamespace = `${name}/cluster-namespace`;
  // Informers are shared, and what an index says depends on the isolation.
  const byNamespace = `${name}/namespace/${options.isolation}`;

  return createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const serviceNamespaces = scope.informer(informers.acquire<APIServiceNamespace>({ resource: dialect.resources.apiServiceNamespaces }));
    const namespaces = scope.informer(informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }));
    const exports = scope.informer(informers.acquire<KubeObject>({ resource: dialect.resources.apiServiceExports }));
    serviceNamespaces.addIndex(byNamespace, (object) => candidates(object));
    serviceNamespaces.addIndex(unassigned, (object) => (assignedName(object) === undefined ? [object.metadata.namespace ?? ''] : []));
    namespaces.addIndex(byConsumer, (namespace) => [consumerOf(dialect, namespace)].filter((one) => one !== undefined));
    serviceNamespaces.addIndex(byClusterNamespace, ({ metadata }) => [metadata.namespace ?? '']);
    exports.addIndex(byClusterNamespace, ({ metadata }) => [metadata.namespace ?? '']);
    const underWay = new UnderWay({ now: () => ctx.clock.monotonic() });
    const ownersRefused = new Set<string | undefined>();
    const exportsGone = new Set<string>();
    const actOptions: ActOptions = { dialect, client, clock: ctx.clock, random: ctx.random, serviceNamespaces, namespaces, underWay, rights: options.rights, ownersRefused, exportsGone };
    let isSynced = false;
    const told = createTold(events);
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });

    scope.onChange(serviceNamespaces, add);
    scope.own(namespaces.addHandler({
      onAdd: namespaceChanged,
      onUpdate(before, after) {
        if (ownerOf(dialect, before) === ownerOf(dialect, after) && isTerminating(before) === isTerminating(after)) return;
        namespaceChanged(before);
        namespaceChanged(after);
      },
      onDelete(namespace) {
        namespaceChanged(namespace);
        // There is room for another one.
        for (const object of serviceNamespaces.byIndex(unassigned, consumerOf(dialect, namespace) ?? '')) queue.add(keyOf(object), { priority: 'background' });
      },
    }));
    scope.own(exports.addHandler({
      onAdd: exportCame,
      onUpdate(before, after) { if (before.metadata.annotations?.[hawserAnnotations.request] !== after.metadata.annotations?.[hawserAnnotations.request]) exportCame(after); },
      onDelete({ metadata: { uid = '' } }) { exportsGone.delete(uid); },
    }));
    await scope.synced();
    isSynced = true;

    function exportCame({ metadata }: KubeObject): void {
      // A backup may bring back what was gone.
      exportsGone.delete(metadata.uid ?? '');
      // Before that, every APIServiceNamespace is looked at anyway.
      if (isSynced) for (const object of serviceNamespaces.byIndex(byClusterNamespace, metadata.namespace ?? '')) queue.add(keyOf(object), { priority: 'background' });
    }

    function add(object: APIServiceNamespace): void {
      const waiting = assignedName(object) === undefined ? serviceNamespaces.byIndex(unassigned, object.metadata.namespace ?? '').length : 0;
      queue.add(keyOf(object), { priority: waiting > patience ? 'background' : 'normal' });
    }

    function namespaceChanged(namespace: KubeObject): void {
      for (const object of serviceNamespaces.byIndex(byNamespace, namespace.metadata.name)) queue.add(keyOf(object));
      const owner = ownerOf(dialect, namespace);
      if (owner !== undefined && /^[^/]+\/[^/]+$/u.test(owner)) queue.add(owner);
    }

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      for (let round = 1; round <= maxRounds; round++) {
        const observed = observe(key, { serviceNamespaces, namespaces, exports, underWay, ownersRefused, exportsGone });
        const { action, verdict } = decide(settings, observed);
        if (action === undefined) {
          switch (verdict.kind) {
            case 'held':
              tell(key, observed.serviceNamespace, problemEvent(verdict.problem));
              return verdict.problem.kind === 'tooMany' && underWay.isUnsure(observed.clusterNamespace, namespaces.byIndex(byConsumer, observed.clusterNamespace)) ? { kind: 'requeue', afterMs: unsureAgainMs, priority: 'background' } : park;
            case 'assigned':
            case 'absent':
            case 'progressing':
              told.forget(key);
              return done;
          }
        }
        ctx.logger.info('An APIServiceNamespace needs something.', { key, action: action.type });
        try {
          const outcome = await act(actOptions, action, signal);
          if (outcome.kind === 'reclaimed') return afterReclaim(key, action.type === 'reclaim' ? action.namespace : undefined, outcome.result);
        } catch (error) {
          if (isRefusal(error)) tell(key, subjectOf(action, observed), refusedEvent(error));
          throw error;
        }
        if (action.type === 'assign' && action.shared) events.record(referenceTo(action.serviceNamespace), sharedEvent(action.namespace));
      }
      throw new ControllerError('NotSettled', name);
    }

    function afterReclaim(key: string, namespace: KubeObject | undefined, result: Reclaimed): Result {
      ctx.logger.info('The APIServiceNamespace of a namespace is gone.', { key, namespace: namespace?.metadata.name, result: result.kind });
      if (result.kind !== 'occupied') {
        told.forget(key);
        return done;
      }
      if (namespace !== undefined) told.tell(key, referenceTo(namespace), occupiedEvent(key, result.by));
      return { kind: 'requeue', afterMs: reclaimRetryMs, priority: 'background' };
    }

    function tell(key: string, subject: KubeObject | undefined, event: EventMessage): void {
      if (subject === undefined) return;
      ctx.logger.warn('An APIServiceNamespace cannot be served.', { key, reason: event.reason, message: event.message });
      told.tell(key, referenceTo(subject), event);
    }
  });

  function candidates(object: APIServiceNamespace): readonly string[] {
    return candidateNames(settings, object.metadata.namespace ?? '', object.metadata.name, object);
  }

  function observe(key: string, { serviceNamespaces, namespaces, exports, underWay, ownersRefused, exportsGone }: Sources): Observed {
    const [clusterNamespace = '', consumerNamespace = ''] = key.split('/', 2);
    const serviceNamespace = serviceNamespaces.get(key);
    const found = new Map<string, KubeObject>();
    // An assigned name is not judged again.
    const prefixes = settings.isolation === 'None' && assignedName(serviceNamespace) === undefined ? prefixesOf(consumerNamespace) : [];
    for (const candidate of [...candidateNames(settings, clusterNamespace, consumerNamespace, serviceNamespace), ...prefixes]) {
      const namespace = namespaces.get(candidate);
      if (namespace !== undefined) found.set(candidate, namespace);
    }
    const own = unassignedName(settings, { clusterNamespace, consumerNamespace, namespaces: found });
    // Counted only where it matters.
    const made = assignedName(serviceNamespace) === undefined ? underWay.count(clusterNamespace, namespaces.byIndex(byConsumer, clusterNamespace), own) : 0;
    const owners = serviceNamespace === undefined || ownersRefused.has(serviceNamespace.metadata.uid) ? [] : exports.byIndex(byClusterNamespace, clusterNamespace).filter(({ metadata: { uid = '' } }) => !exportsGone.has(uid));
    const oldestFirst = owners.toSorted((a, b) => compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compareText(a.metadata.name, b.metadata.name));
    return { clusterNamespace, consumerNamespace, serviceNamespace, namespaces: found, made, exports: oldestFirst };
  }

  /** The two kinds that Events are about differ in whether they have a namespace; those from a metadata cache do not say their own kind. */
  function referenceTo({ metadata }: KubeObject): ObjectReference {
    const kind = metadata.namespace === undefined ? { apiVersion: 'v1', kind: 'Namespace' } : { apiVersion: dialect.apiVersion, kind: 'APIServiceNamespace' };
    return { ...kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid };
  }
}

/** What is observed from. */
interface Sources extends Pick<ActOptions, 'underWay' | 'ownersRefused' | 'exportsGone'> {
  readonly serviceNamespaces: InformerHandle<APIServiceNamespace>;
  readonly namespaces: InformerHandle<KubeObject>;
  readonly exports: InformerHandle<KubeObject>;
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function keyOf(object: APIServiceNamespace): string {
  return apiServiceNamespaceKey(object.metadata.namespace ?? '', object.metadata.name);
}

function refusedEvent(error: ApiError): EventMessage {
  return { type: 'Warning', reason: 'NamespaceRefused', message: `The provider's API server refused a request: ${error.message}. The provider has to remove the cause; it is tried again.` };
}

function sharedEvent(namespace: string): EventMessage {
  return { type: 'Normal', reason: 'NamespaceShared', message: `Namespace "${namespace}" existed before and is used as it is, as isolation None has it and the provider allows: others may use it too.` };
}

function occupiedEvent(owner: string, by: string): EventMessage {
  return { type: 'Normal', reason: 'NamespaceKept', message: `APIServiceNamespace "${owner}" is gone; this namespace stays because it holds ${by}. It is deleted once it holds nothing, or used again if the APIServiceNamespace comes back.` };
}

/** An Event needs something to be about, and an APIServiceNamespace that is gone is nothing. */
function subjectOf(action: Action, observed: Observed): KubeObject | undefined {
  return action.type === 'reclaim' ? action.namespace : observed.serviceNamespace;
}
