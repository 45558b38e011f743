import { type KubeObject, ServerTime, getIfExists, isAlreadyExists, isConflict, isRefusal } from '@hawser/client';
import { type Controller, type Result, WriteBudget, createController, done, park } from '@hawser/controller';
import {
  type ClusterBinding,
  type Conditions,
  commitStatus,
  conditionTypes,
  controllerName,
  type Dialect,
  fixedNames,
  getCondition,
  removeCondition,
  resources,
  type Secret,
  setCondition,
  setSummary,
} from '@hawser/kube-bind';
import { type ObjectReference, createTold } from '@hawser/telemetry';
import { act, type ActOptions } from './act.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import type { Endpoint } from './endpoint.js';
import type { Observed, Settings } from './observed.js';
import { problemEvent } from './problem.js';
import { type SlotName, slotNames } from './slot-name.js';

export interface CredentialsOptions {
  /** Whose consumers. */
  readonly dialect: Dialect;
  /** What consumers are told of the API server. Asked for whenever a kubeconfig is looked at. */
  readonly endpoint: () => Endpoint;
  /** Life of a token that expires. Default 30 days. */
  readonly tokenLifeMs?: number | undefined;
  /** How long a credential that was replaced stays valid at least. Default 1 h. */
  readonly overlapMs?: number | undefined;
  /** Consumers that are worked on at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/** When to look again at what no watch tells of. */
const unwatchedMs = 1_000;
/** How often is looked whether consumers are to be told something else of the API server. */
const endpointCheckMs = 60_000;
/** Until the API server has said what time it is, our own clock counts, and may be put right: it is asked again after this time at the latest. */
const clockCheckMs = 600_000;
/** Tokens for one consumer, and Secrets for them: what else is wrong, an API server with several clocks or a job that deletes Secrets, there is not one after the other. */
const issueBudget = { burst: 5, refillMs: 60_000 };

/**
 * Sees to it that each consumer, that is each ClusterBinding in a cluster namespace, has a ServiceAccount, a token and a Secret with its kubeconfig
 * (spec/kube-bind-backend.md §6.1); that tokens which expire are refreshed; and that the operator can replace and revoke a credential by annotations of the ClusterBinding,
 * which no consumer can write.
 */
export function createCredentialsController(options: CredentialsOptions): Controller<'provider'> {
  const { dialect, endpoint, tokenLifeMs = 30 * 86_400_000, overlapMs = 3_600_000 } = options;
  // The API server takes no shorter life than this.
  if (!(tokenLifeMs >= 600_000)) throw new RangeError(`tokenLifeMs must be at least 600000, not ${tokenLifeMs}`);
  const settings: Settings = { dialect, tokenLifeMs, overlapMs };
  const name = controllerName('credentials', dialect);
  const { binder, clusterBinding } = dialect.names;
  const kind = dialect.resources.clusterBindings;

  return createController<'provider'>(name, async (ctx, scope) => {
    const { clock, random, logger } = ctx;
    const { client, informers, events } = ctx.clusters.provider;
    const bindings = scope.informer(informers.acquire<ClusterBinding>({ resource: kind }));
    const namespaces = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    // By name, so that the right to read these is enough: no other Secret of the cluster is read.
    const named = (of: string): string => `metadata.name=${of}`;
    const accounts = scope.informer(
      informers.acquire<KubeObject>({
        resource: resources.serviceAccounts,
        projection: 'metadata',
        fieldSelector: named(binder),
      }),
    );
    const kubeconfigs = scope.informer(
      informers.acquire<Secret>({
        resource: resources.secrets,
        fieldSelector: named(fixedNames.providerKubeconfigSecret),
      }),
    );
    const slots = slotNames(binder).map(
      (slot) =>
        [
          slot,
          scope.informer(informers.acquire<Secret>({ resource: resources.secrets, fieldSelector: named(slot) })),
        ] as const,
    );
    const serverTime = new ServerTime(clock);
    const told = createTold(events);
    // A consumer may take the condition away as often as it likes.
    const budget = new WriteBudget();
    const tokens = new WriteBudget(issueBudget);
    const keyOfMade = (type: string, namespace: string): string => `${type} ${namespace}`;
    const actOptions: ActOptions = {
      client,
      settings,
      endpoint,
      kubeconfigs,
      serverTime,
      // What the API server refuses is retried with backoff, and counts for nothing here.
      onMade: (type, namespace) => {
        tokens.spend(keyOfMade(type, namespace), clock.monotonic());
      },
    };
    const queue = scope.openQueue({ name, concurrency: options.concurrency ?? 4, reconcile });

    scope.onChange(namespaces, ({ metadata }) => {
      queue.add(metadata.name);
    });
    for (const informer of [bindings, accounts, kubeconfigs, ...slots.map(([, one]) => one)])
      scope.onChange<KubeObject>(informer, ({ metadata }) => {
        queue.add(metadata.namespace ?? '');
      });
    let given = endpoint();
    scope.every(endpointCheckMs, () => {
      const now = endpoint();
      if (now.server === given.server && now.caData === given.caData && now.tlsServerName === given.tlsServerName)
        return;
      given = now;
      for (const { metadata } of bindings.list()) queue.add(metadata.namespace ?? '', { priority: 'background' });
    });
    await scope.synced();

    async function reconcile(namespace: string, signal: AbortSignal): Promise<Result> {
      const binding = bindings.get({ namespace, name: clusterBinding });
      try {
        return await keepUp(namespace, binding, signal);
      } catch (error) {
        // The cache lags behind.
        if (isAlreadyExists(error) || isConflict(error)) return { kind: 'requeue', afterMs: unwatchedMs };
        if (binding !== undefined && isRefusal(error))
          tell(namespace, binding, problemEvent({ kind: 'refused', message: error.message }));
        throw error;
      }
    }

    async function keepUp(
      namespace: string,
      binding: ClusterBinding | undefined,
      signal: AbortSignal,
    ): Promise<Result> {
      const observed = await observe(namespace, binding, signal);
      const decision = decide(settings, observed, endpoint(), serverTime.now());
      const { action, verdict, at } = decision;
      if (binding !== undefined) {
        const waitMs = await report(namespace, binding, decision, signal);
        if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      }
      if (action !== undefined) return perform(namespace, binding, action, signal);
      switch (verdict.kind) {
        case 'absent':
          told.forget(namespace);
          return done;
        case 'held':
          if (binding !== undefined) tell(namespace, binding, problemEvent(verdict.problem));
          return park;
        case 'valid':
          if (verdict.outdated.length > 0 && binding !== undefined)
            tell(namespace, binding, outdatedEvent(verdict.outdated));
          else told.forget(namespace);
          break;
        case 'revoked':
        case 'progressing':
          break;
      }
      return at === undefined || at === Infinity
        ? done
        : {
            kind: 'requeue',
            afterMs: Math.min(clockCheckMs, Math.max(0, at - serverTime.now())) + 1,
            priority: 'background',
          };
    }

    async function perform(
      namespace: string,
      binding: ClusterBinding | undefined,
      action: Action,
      signal: AbortSignal,
    ): Promise<Result> {
      if (action.type === 'issueToken' || action.type === 'createSlot') {
        const waitMs = tokens.waitMs(keyOfMade(action.type, namespace), clock.monotonic());
        if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      }
      await act(actOptions, action, signal);
      logger.info('The credential of a consumer changed.', { namespace, action: action.type });
      // The watch tells of everything but a Secret of another name.
      return (binding?.spec.kubeconfigSecretRef.name ?? fixedNames.providerKubeconfigSecret) ===
        fixedNames.providerKubeconfigSecret
        ? done
        : { kind: 'requeue', afterMs: unwatchedMs };
    }

    async function observe(
      namespace: string,
      binding: ClusterBinding | undefined,
      signal: AbortSignal,
    ): Promise<Observed> {
      const key = { namespace, name: binding?.spec.kubeconfigSecretRef.name ?? fixedNames.providerKubeconfigSecret };
      const found = new Map<SlotName, Secret>();
      for (const [slot, informer] of slots) {
        const secret = informer.get({ namespace, name: slot });
        if (secret !== undefined) found.set(slot, secret);
      }
      return {
        namespace: namespaces.get(namespace),
        binding,
        account: accounts.get({ namespace, name: binder }),
        slots: found,
        kubeconfig:
          key.name === fixedNames.providerKubeconfigSecret
            ? kubeconfigs.get(key)
            : await getIfExists<Secret>(client, resources.secrets, key, { signal }),
      };
    }

    /** Milliseconds until the condition may be written; 0: it is as it should be. */
    async function report(
      namespace: string,
      binding: ClusterBinding,
      decision: Decision,
      signal: AbortSignal,
    ): Promise<number> {
      if (withCondition(binding, decision, clock.now()) === binding.status?.conditions) return 0;
      const waitMs = budget.waitMs(namespace, clock.monotonic());
      if (waitMs > 0) return waitMs;
      const { condition } = decision;
      const before = getCondition(binding.status?.conditions, conditionTypes.credentialExpiring);
      // The Event comes first: a consumer may have left no room for a condition.
      if (
        condition !== undefined &&
        condition !== 'none' &&
        condition.status === 'True' &&
        before?.reason !== condition.reason
      ) {
        told.tell(namespace, referenceTo(binding), {
          type: 'Warning',
          reason: condition.reason ?? '',
          message: condition.message ?? '',
        });
      }
      const written = await commitStatus(
        client,
        kind,
        binding,
        (status, current) => ({ ...status, conditions: withCondition(current, decision, clock.now()) }),
        { clock, random, signal },
      );
      if (written === undefined || written === binding) return 0;
      budget.spend(namespace, clock.monotonic());
      bindings.observe(written);
      return 0;
    }

    function referenceTo({ metadata }: ClusterBinding): ObjectReference {
      return {
        apiVersion: dialect.apiVersion,
        kind: 'ClusterBinding',
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid,
      };
    }

    function tell(namespace: string, binding: ClusterBinding, event: ReturnType<typeof problemEvent>): void {
      logger.warn('The credential of a consumer is not as it should be.', {
        namespace,
        reason: event.reason,
        message: event.message,
      });
      told.tell(namespace, referenceTo(binding), event);
    }
  });
}

/** The conditions with `CredentialExpiring` as it is to be; the same list if nothing changes. */
function withCondition(binding: ClusterBinding, { condition }: Decision, now: number): Conditions | undefined {
  const before = binding.status?.conditions;
  if (condition === undefined) return before;
  if (condition === 'none')
    return getCondition(before, conditionTypes.credentialExpiring) === undefined
      ? before
      : removeCondition(before, conditionTypes.credentialExpiring);
  const after = setCondition(before, condition, now);
  return after === before ? before : setSummary(after, now);
}

function outdatedEvent(outdated: readonly string[]): ReturnType<typeof problemEvent> {
  return {
    type: 'Normal',
    reason: 'KubeconfigOutdated',
    message: `The consumer's kubeconfig has another ${outdated.join(' and ')} than would be handed out now. It stays as it is while it works; to renew it, the provider has to set the annotation hawser.dev/replace-credential of the ClusterBinding to a new value.`,
  };
}
