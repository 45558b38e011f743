import { isForbidden, isRefusal, type KubeObject, isTerminating } from '@hawser/client';
import {
  type Controller,
  ControllerError,
  createController,
  done,
  park,
  type Queue,
  type Result,
  WriteBudget,
} from '@hawser/controller';
import { equal } from '@hawser/json';
import { isClusterNamespace } from '@hawser/klutch';
import {
  type APIServiceNamespace,
  type BoundSchema,
  controllerName,
  type Dialect,
  isWithdrawn,
  resources,
} from '@hawser/kube-bind';
import type { EventMessage, ObjectReference } from '@hawser/telemetry';
import { act, type ActOptions, removeBackendObject } from './act.js';
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  consumerPolicyName,
  policyResources,
  policyState,
} from './admission-policy.js';
import { answered } from './answered.js';
import { type BackendObject, decideBackend, isBackendBindingName, isBackendRoleName } from './backend-rights.js';
import { decide } from './decide.js';
import type { Action } from './decision.js';
import type { ExportObject } from './export-object.js';
import { consumersOf } from './marks.js';
import { type NamespaceRights, PendingNamespaces } from './namespace-rights.js';
import type { ObservedConsumer, ServiceNamespace, Settings } from './observed.js';
import { type BindingObject, rbacVersion, type RoleObject } from './rbac-objects.js';
import { concernsRights, type RequestObject } from './request-rights.js';

export interface ExportRbacOptions {
  /** Whose exports. */
  readonly dialect: Dialect;
  /**
   * Whether consumers may list and watch a resource in the whole cluster where a konnector cannot do without: cluster-scoped resources, and isolation
   * Namespaced. They then see each other's objects of it. Default false: such a resource is refused, with a condition on its export.
   */
  readonly sharedClusterScope?: boolean | undefined;
  /** Consumers that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

export interface ExportRbac {
  readonly controller: Controller<'provider'>;
  /** For whoever assigns namespaces; works while the controller runs. */
  readonly rights: NamespaceRights;
}

const backend = 'backend';
/** Bindings, conditions, what goes, and one look to see that it is done; more only if somebody else is writing too. */
const maxRounds = 6;

/**
 * Gives each consumer the rights that its exports and namespaces need, and takes back what they need no more (spec/kube-bind-backend.md §9.4, §10.5).
 *
 * Each consumer has bindings of its own, to ClusterRoles that the operator has made. What cannot be given is said by the condition `RightsGranted` of the
 * export. The shared rights that the Go backend gave go once every consumer has its own.
 */
export function createExportRbac(options: ExportRbacOptions): ExportRbac {
  const { dialect } = options;
  const name = controllerName('exportrbac', dialect);
  const byNamespace = `${name}/namespace`;
  const byConsumer = `${name}/consumer`;
  const byPrefix = `${name}/prefix`;
  const policyName = consumerPolicyName(dialect);
  const settings: Settings = { dialect, sharedClusterScope: options.sharedClusterScope ?? false };
  const pending = new PendingNamespaces();
  let consumerQueue: Queue | undefined;

  const controller = createController<'provider'>(name, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.provider;
    const exports = scope.informer(informers.acquire<ExportObject>({ resource: dialect.resources.apiServiceExports }));
    const requests = scope.informer(
      informers.acquire<RequestObject>({ resource: dialect.resources.apiServiceExportRequests }),
    );
    const boundSchemas =
      dialect.schema === 'BoundSchemas'
        ? scope.informer(informers.acquire<BoundSchema>({ resource: resources.boundSchemas }))
        : undefined;
    const serviceNamespaces = scope.informer(
      informers.acquire<APIServiceNamespace>({ resource: dialect.resources.apiServiceNamespaces }),
    );
    const namespaces = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    const roles = scope.informer(informers.acquire<RoleObject>({ resource: resources.clusterRoles }));
    const roleBindings = scope.informer(informers.acquire<BindingObject>({ resource: resources.roleBindings }));
    const clusterRoleBindings = scope.informer(
      informers.acquire<BindingObject>({ resource: resources.clusterRoleBindings }),
    );
    const ofPolicy = `metadata.name=${policyName}`;
    // Where they cannot be read, most rights can be given all the same: nothing waits for more than an answer.
    const policies = informers.acquire<AdmissionPolicy>({
      resource: policyResources.policies,
      fieldSelector: ofPolicy,
    });
    const policyBindings = informers.acquire<AdmissionPolicyBinding>({
      resource: policyResources.bindings,
      fieldSelector: ofPolicy,
    });
    scope.own(() => {
      policies.release();
      policyBindings.release();
    });
    requests.addIndex(byConsumer, (request) => (concernsRights(request) ? [request.metadata.namespace ?? ''] : []));
    serviceNamespaces.addIndex(byNamespace, ({ status }) =>
      status?.namespace === undefined ? [] : [status.namespace],
    );
    roleBindings.addIndex(byConsumer, (binding) => consumersOfBinding(dialect, binding));
    clusterRoleBindings.addIndex(byConsumer, (binding) => consumersOfBinding(dialect, binding));
    namespaces.addIndex(byPrefix, (namespace) =>
      isClusterNamespace(namespace) ? prefixes(namespace.metadata.name) : [],
    );
    const actOptions: ActOptions = {
      dialect,
      client,
      clock: ctx.clock,
      random: ctx.random,
      exports,
      requests,
      boundSchemas,
      roleBindings,
      clusterRoleBindings,
    };
    /** Conditions can be taken away by the consumer that they are about. */
    const budget = new WriteBudget();
    /** A consumer can make requests, and delete them. */
    const requestBudget = new WriteBudget({ burst: 200, refillMs: 200 });
    /** Whether a consumer has its own rights, as far as the installation is finished. */
    const settled = new Map<string, boolean>();
    /** Whose rights were last said to be waited for: told once, however long it takes. */
    let waitedFor: string | undefined;
    /** By name, the uid of what was removed: the cache may still have it. */
    const removed = new Map<string, string>();
    const told = new Map<string, string>();

    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });
    const backendQueue = scope.openQueue({ name: `${name}-backend`, concurrency: 1, reconcile: reconcileBackend });
    consumerQueue = queue;
    scope.own(() => {
      consumerQueue = undefined;
      pending.end(new Error('the controller of rights has ended'));
    });

    const consumerChanged = (object: KubeObject): void => {
      queue.add(object.metadata.namespace ?? '');
    };
    const bindingChanged = (binding: BindingObject): void => {
      for (const consumer of consumersOfBinding(dialect, binding)) queue.add(consumer);
      if (isBackendBindingName(dialect, binding.metadata.name)) backendQueue.add(backend);
    };
    const allChanged = (): void => {
      for (const consumer of consumers()) queue.add(consumer);
    };
    const namespaceChanged = (namespace: KubeObject): void => {
      const { name: changed } = namespace.metadata;
      for (const object of serviceNamespaces.byIndex(byNamespace, changed)) consumerChanged(object);
      if (exports.list(changed).length > 0) queue.add(changed);
      if (isClusterNamespace(namespace))
        for (const prefix of prefixes(changed)) if (exports.list(prefix).length > 0) queue.add(prefix);
    };
    scope.own(
      exports.addHandler({
        onAdd: consumerChanged,
        // With each changed schema an annotation changes, which gives no rights.
        onUpdate(before, after) {
          if (!sameForRights(before, after)) consumerChanged(after);
        },
        onDelete(gone) {
          consumerChanged(gone);
          // Nobody waits for a consumer that is gone.
          backendQueue.add(backend);
        },
      }),
    );
    if (boundSchemas !== undefined) {
      scope.own(
        boundSchemas.addHandler({
          onAdd: consumerChanged,
          // Neither what konnectors write into the status nor what the schema says of an object gives rights.
          onUpdate(before, after) {
            if (before.spec?.scope !== after.spec?.scope || before.spec?.informerScope !== after.spec?.informerScope)
              consumerChanged(after);
          },
          onDelete: consumerChanged,
        }),
      );
    }
    scope.own(
      requests.addHandler({
        onAdd(request) {
          if (concernsRights(request)) consumerChanged(request);
        },
        onUpdate(before, after) {
          if ((concernsRights(before) || concernsRights(after)) && !equal(before.status, after.status))
            consumerChanged(after);
        },
        onDelete: () => undefined,
      }),
    );
    scope.onChange(serviceNamespaces, consumerChanged);
    scope.onChange(namespaces, namespaceChanged);
    scope.onChange(roles, (role) => {
      if (role.metadata.name.startsWith(`${dialect.names.binder}:`)) allChanged();
      if (isBackendRoleName(dialect, role)) backendQueue.add(backend);
    });
    scope.onChange(roleBindings, bindingChanged);
    scope.onChange(clusterRoleBindings, bindingChanged);
    scope.onChange(policies, allChanged);
    scope.onChange(policyBindings, allChanged);
    // Before that, rights that need the policy would be taken away from who has them.
    await Promise.all([answered(policies, scope.signal), answered(policyBindings, scope.signal), scope.synced()]);

    function consumers(): ReadonlySet<string> {
      return new Set(exports.list().map(({ metadata }) => metadata.namespace ?? ''));
    }

    async function reconcile(clusterNamespace: string, signal: AbortSignal): Promise<Result> {
      const waiters = pending.takeWaiters(clusterNamespace);
      try {
        const result = await grantAndWithdraw(clusterNamespace, signal);
        for (const waiter of waiters) waiter.resolve();
        return result;
      } catch (error) {
        for (const waiter of waiters) waiter.reject(error);
        throw error;
      }
    }

    async function grantAndWithdraw(clusterNamespace: string, signal: AbortSignal): Promise<Result> {
      for (let round = 1; round <= maxRounds; round++) {
        const { actions, verdict } = decide(settings, observe(clusterNamespace), ctx.clock.now());
        if (actions.length === 0) {
          settle(clusterNamespace, verdict.kind !== 'refused' || !verdict.unfinished);
          told.delete(clusterNamespace);
          return done;
        }
        let deferredMs = 0;
        let failure: { readonly error: unknown } | undefined;
        for (const action of actions) {
          // What waits for its turn holds up nothing else: rights would not go as long as their consumer takes conditions away.
          // Nor does what is refused, as a condition is for which the consumer has left no room.
          if (failure !== undefined && action.type !== 'withdraw') continue;
          const waitMs = spend(clusterNamespace, action);
          deferredMs = Math.max(deferredMs, waitMs);
          if (waitMs > 0) continue;
          ctx.logger.info('The rights of a consumer change.', {
            clusterNamespace,
            action: action.type,
            name: nameOf(action),
          });
          try {
            await act(actOptions, action, signal);
          } catch (error) {
            if (isRefusal(error)) tellRefused(clusterNamespace, error.message);
            failure ??= { error };
          }
        }
        if (failure !== undefined) throw failure.error;
        if (deferredMs > 0) return { kind: 'requeue', afterMs: deferredMs };
      }
      throw new ControllerError('NotSettled', name);
    }

    /** Milliseconds until a write may be made that the consumer can provoke; 0: now, and that is counted. */
    function spend(clusterNamespace: string, { type }: Action): number {
      if (type !== 'writeCondition' && type !== 'narrow' && type !== 'writeRequest') return 0;
      const one = type === 'writeRequest' ? requestBudget : budget;
      const waitMs = one.waitMs(clusterNamespace, ctx.clock.monotonic());
      if (waitMs === 0) one.spend(clusterNamespace, ctx.clock.monotonic());
      return waitMs;
    }

    function settle(clusterNamespace: string, isSettled: boolean): void {
      if (settled.get(clusterNamespace) === isSettled) return;
      settled.set(clusterNamespace, isSettled);
      backendQueue.add(backend);
    }

    async function reconcileBackend(_: string, signal: AbortSignal): Promise<Result> {
      const { remove, keep } = decideBackend(dialect, {
        bindings: clusterRoleBindings.list().filter(({ metadata }) => isBackendBindingName(dialect, metadata.name)),
        roles: roles.list().filter((role) => isBackendRoleName(dialect, role)),
      });
      for (const one of keep) tell(`keep/${keyOf(one)}`, referenceTo(one), keptEvent(one));
      if (remove.length === 0) return done;
      // Nobody loses rights before it has its own.
      const waiting = [...consumers()].find((consumer) => settled.get(consumer) !== true);
      if (waiting !== undefined) {
        if (waiting !== waitedFor)
          ctx.logger.warn('The shared rights of another backend stay until every consumer has its own.', {
            waitingFor: waiting,
          });
        waitedFor = waiting;
        return park;
      }
      for (const one of remove) {
        const key = keyOf(one);
        const { uid = '' } = one.object.metadata;
        if (removed.get(key) === uid) continue;
        if (removed.has(key)) tell(`again/${key}`, referenceTo(one), runningEvent(one));
        const waitMs = budget.waitMs(key, ctx.clock.monotonic());
        if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
        budget.spend(key, ctx.clock.monotonic());
        ctx.logger.info('Rights that another backend gave to all consumers together are removed.', {
          kind: one.kind,
          name: one.object.metadata.name,
        });
        try {
          await removeBackendObject(client, one, signal);
        } catch (error) {
          if (isForbidden(error)) tell(`refused/${key}`, referenceTo(one), refusedEvent(error.message));
          throw error;
        }
        events.record(referenceTo(one), removedEvent(one));
        removed.set(key, uid);
      }
      return done;
    }

    function observe(clusterNamespace: string): ObservedConsumer {
      const found = serviceNamespaces.list(clusterNamespace);
      const assigned = found.flatMap(({ metadata, status }) =>
        status?.namespace === undefined || status.namespace === '' ? [] : [[metadata.name, status.namespace] as const],
      );
      for (const [consumerNamespace] of assigned) pending.forget(clusterNamespace, consumerNamespace);
      for (const { consumerNamespace } of pending.of(clusterNamespace)) {
        if (!found.some(({ metadata }) => metadata.name === consumerNamespace))
          pending.forget(clusterNamespace, consumerNamespace);
      }
      const all = [
        ...assigned,
        ...pending.of(clusterNamespace).map((one) => [one.consumerNamespace, one.namespace] as const),
      ];
      return {
        clusterNamespace,
        namespace: namespaces.get(clusterNamespace),
        prefixSharedWith: namespaces.byIndex(byPrefix, clusterNamespace)[0]?.metadata.name,
        exports: exports.list(clusterNamespace),
        requests: requests.byIndex(byConsumer, clusterNamespace),
        boundSchemas: new Map(boundSchemas?.list(clusterNamespace).map((schema) => [schema.metadata.name, schema])),
        serviceNamespaces: all.map(([consumerNamespace, namespace]): ServiceNamespace => ({
          consumerNamespace,
          name: namespace,
          namespace: namespaces.get(namespace),
        })),
        bindings: [
          ...roleBindings.byIndex(byConsumer, clusterNamespace),
          ...clusterRoleBindings.byIndex(byConsumer, clusterNamespace),
        ].filter((one) => !isTerminating(one)),
        roles: { get: (role: string) => roles.get(role) },
        policy: policyState(dialect, policies.get(policyName), policyBindings.get(policyName)),
      };
    }

    function tellRefused(clusterNamespace: string, message: string): void {
      const [found] = exports.list(clusterNamespace);
      if (found === undefined) return;
      tell(
        clusterNamespace,
        {
          apiVersion: dialect.apiVersion,
          kind: 'APIServiceExport',
          name: found.metadata.name,
          namespace: clusterNamespace,
          uid: found.metadata.uid,
        },
        refusedEvent(message),
      );
    }

    /** A lasting state is told once, not with every look at it. */
    function tell(key: string, regarding: ObjectReference, event: EventMessage): void {
      if (told.get(key) === event.message) return;
      told.set(key, event.message);
      ctx.logger.warn(event.message, { reason: event.reason, regarding: regarding.name });
      events.record(regarding, event);
    }
  });

  return {
    controller,
    rights: {
      async ensure(one, signal) {
        if (consumerQueue === undefined) throw new Error('the controller of rights does not run');
        pending.add(one);
        const granted = pending.wait(one.clusterNamespace, signal);
        consumerQueue.add(one.clusterNamespace, { priority: 'urgent', resetBackoff: true });
        await granted;
      },
    },
  };
}

/** Whether nothing changed that {@link decide} looks at. */
function sameForRights(before: ExportObject, after: ExportObject): boolean {
  return (
    before.metadata.generation === after.metadata.generation &&
    before.metadata.uid === after.metadata.uid &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    isWithdrawn(before.metadata) === isWithdrawn(after.metadata) &&
    equal(before.status?.conditions, after.status?.conditions)
  );
}

/** For whom a binding is, by its subjects or by its name. */
function consumersOfBinding(dialect: Dialect, binding: BindingObject): readonly string[] {
  const [stem, consumer, right] = binding.metadata.name.split(':');
  const named = stem === dialect.names.binder && consumer !== undefined && right !== undefined ? [consumer] : [];
  return [...new Set([...consumersOf(dialect, binding), ...named])];
}

/** `a-b-c`: `a` and `a-b`. */
function prefixes(text: string): readonly string[] {
  const parts = text.split('-');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('-'));
}

function nameOf(action: Action): string {
  switch (action.type) {
    case 'grant':
      return `${action.binding.metadata.namespace ?? ''}/${action.binding.metadata.name}`;
    case 'repair':
    case 'withdraw':
    case 'removeBackendBinding':
      return `${action.existing.metadata.namespace ?? ''}/${action.existing.metadata.name}`;
    case 'narrow':
      return action.schema.metadata.name;
    case 'writeCondition':
      return action.export.metadata.name;
    case 'writeRequest':
      return action.request.metadata.name;
  }
}

function keyOf({ kind, object }: BackendObject): string {
  return `${kind}/${object.metadata.name}`;
}

function referenceTo({ kind, object: { metadata } }: BackendObject): ObjectReference {
  return { apiVersion: rbacVersion, kind, name: metadata.name, uid: metadata.uid };
}

function removedEvent({ kind, object }: BackendObject): EventMessage {
  return {
    type: 'Normal',
    reason: 'BackendRightsRemoved',
    message: `${kind} "${object.metadata.name}" of another backend is removed: it gave consumers rights on each other's objects. Each has its own bindings now.`,
  };
}

function keptEvent({ kind, object }: BackendObject): EventMessage {
  return {
    type: 'Warning',
    reason: 'BackendRightsKept',
    message: `${kind} "${object.metadata.name}" has the name or the label of what another backend makes for all consumers together, but was not made by it. It stays. The provider has to find out whom it gives what, and to remove it.`,
  };
}

function runningEvent({ kind, object }: BackendObject): EventMessage {
  return {
    type: 'Warning',
    reason: 'BackendStillRunning',
    message: `${kind} "${object.metadata.name}" was removed and is back: another backend still runs and gives consumers rights on each other's objects. The provider has to stop it.`,
  };
}

function refusedEvent(message: string): EventMessage {
  return {
    type: 'Warning',
    reason: 'RightsRefused',
    message: `The provider's API server refused a request that was to change rights of consumers: ${message}. The provider has to remove the cause; it is tried again.`,
  };
}
