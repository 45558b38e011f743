import { type KubeObject, ServerTime, getIfExists } from '@hawser/client';
import {
  type Controller,
  type Decision as Step,
  type Outcome,
  type Setup,
  type Watched,
  WriteBudget,
  controller,
} from '@hawser/controller';
import {
  type ClusterBinding,
  type Conditions,
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
import { createStateEvents, type EventMessage } from '@hawser/telemetry';
import { act, type ActOptions } from './act.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import type { Endpoint } from './endpoint.js';
import type { Observed, Settings } from './observed.js';
import { problemEvent } from './problem.js';
import { type SlotName, slotNames } from './slot-name.js';

export interface CredentialsOptions {
  /** Dialect of the consumers. */
  readonly dialect: Dialect;
  /** The API server's address for consumers. Called whenever a kubeconfig is checked. */
  readonly endpoint: () => Endpoint;
  /** Life of an expiring token. Default 30 days. */
  readonly tokenLifeMs?: number | undefined;
  /** Minimum time that a replaced credential stays valid. Default 1 h. */
  readonly overlapMs?: number | undefined;
  /** Consumers processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
}

/** Delay before the next look at state without a watch. */
const unwatchedMs = 1_000;
/** Interval for checking whether the API server's address for consumers has changed. */
const endpointCheckMs = 60_000;
/**
 * Until the API server has sent its time, our own clock counts, and may be corrected: look again after this time at the
 * latest.
 */
const clockCheckMs = 600_000;
/**
 * Limits tokens for one consumer, and Secrets for them, whatever else is wrong: an API server with several clocks, or a
 * job that deletes Secrets.
 */
const issueBudget = { burst: 5, refillMs: 60_000 };

/** A consumer, and the other inputs of its credential. */
interface Seen extends Observed {
  readonly endpoint: Endpoint;
  /** By the clock of the API server. */
  readonly serverNow: number;
  /** By our own clock. */
  readonly now: number;
  /** Milliseconds until the condition may be written; 0: now. */
  readonly conditionInMs: number;
}

/** An action, or a write of the credential's condition. */
type CredentialStep = Action | WriteCondition;

interface WriteCondition {
  readonly type: 'writeCondition';
  readonly binding: ClusterBinding;
  readonly decision: Decision;
}

/**
 * Gives each consumer, that is each ClusterBinding in a cluster namespace, a ServiceAccount, a token and a Secret with
 * its kubeconfig (spec/kube-bind-backend.md §6.1). Refreshes expiring tokens. Lets the operator replace and revoke a
 * credential by annotations of the ClusterBinding, which no consumer can write.
 */
export function createCredentialsController(options: CredentialsOptions): Controller<'provider'> {
  const { dialect, endpoint, tokenLifeMs = 30 * 86_400_000, overlapMs = 3_600_000, concurrency = 4 } = options;
  // The API server's minimum.
  if (!(tokenLifeMs >= 600_000)) throw new RangeError(`tokenLifeMs must be at least 600000, not ${tokenLifeMs}`);
  const settings: Settings = { dialect, tokenLifeMs, overlapMs };

  return controller(controllerName('credentials', dialect), (setup: Setup<'provider'>) => {
    const caches = watchCredentials(setup, dialect);
    const serverTime = new ServerTime(setup.clock);
    const actor = new Actor(setup, caches, { settings, endpoint, serverTime });
    const unread = createStateEvents(setup.clusters.provider.events);
    onOtherEndpoint(setup, endpoint, () => {
      for (const { metadata } of caches.bindings.list()) setup.look(metadata.namespace ?? '');
    });
    return {
      concurrency,
      takesAll: true,
      observe: async (namespace, signal): Promise<Seen> => ({
        ...(await caches.observe(namespace, signal)),
        endpoint: endpoint(),
        serverNow: serverTime.now(),
        now: setup.clock.now(),
        conditionInMs: actor.conditionInMs(namespace),
      }),
      decide: (seen) => stepOf(settings, seen),
      act: (action, signal, { binding }) => actor.act(action, binding, signal),
      about: ({ binding }) => caches.bindings.about(binding),
      refused: ({ message }) => problemEvent({ kind: 'refused', message }),
      // The Secret that a ClusterBinding names is unreadable.
      reportRefusal({ message }, { key, action }) {
        const subject = caches.bindings.about(
          caches.bindings.get({ namespace: key, name: dialect.names.clusterBinding }),
        );
        if (action === undefined && subject !== undefined)
          unread.record(key, subject.regarding, problemEvent({ kind: 'refused', message }));
        return Promise.resolve();
      },
      decided: (namespace) => {
        unread.forget(namespace);
      },
    };
  });
}

interface Caches {
  readonly bindings: Watched<ClusterBinding>;
  readonly kubeconfigs: Watched<Secret>;
  observe(namespace: string, signal: AbortSignal): Promise<Observed>;
}

/**
 * Watches by name, so the right to read these is enough: reads no other Secret of the cluster except the one that a
 * ClusterBinding names.
 */
function watchCredentials({ clusters: { provider }, watch }: Setup<'provider'>, dialect: Dialect): Caches {
  const { binder, clusterBinding } = dialect.names;
  const toNamespace = ({ metadata }: KubeObject): string => metadata.namespace ?? '';
  const named = (name: string): string => `metadata.name=${name}`;
  const secretsNamed = (name: string): Watched<Secret> =>
    watch<Secret>(provider, { resource: resources.secrets, kind: 'Secret', fieldSelector: named(name) }, toNamespace);
  const bindings = watch<ClusterBinding>(
    provider,
    { resource: dialect.resources.clusterBindings, kind: 'ClusterBinding' },
    toNamespace,
  );
  const namespaces = watch(
    provider,
    { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' },
    ({ metadata }) => metadata.name,
  );
  const accounts = watch(
    provider,
    {
      resource: resources.serviceAccounts,
      kind: 'ServiceAccount',
      projection: 'metadata',
      fieldSelector: named(binder),
    },
    toNamespace,
  );
  const kubeconfigs = secretsNamed(fixedNames.providerKubeconfigSecret);
  const slots = slotNames(binder).map((slot) => [slot, secretsNamed(slot)] as const);

  return {
    bindings,
    kubeconfigs,
    async observe(namespace, signal) {
      const binding = bindings.get({ namespace, name: clusterBinding });
      const found = new Map<SlotName, Secret>();
      for (const [slot, cache] of slots) {
        const secret = cache.get({ namespace, name: slot });
        if (secret !== undefined) found.set(slot, secret);
      }
      const key = { namespace, name: secretNameOf(binding) };
      return {
        namespace: namespaces.get(namespace),
        binding,
        account: accounts.get({ namespace, name: binder }),
        slots: found,
        kubeconfig:
          key.name === fixedNames.providerKubeconfigSecret
            ? kubeconfigs.get(key)
            : await getIfExists<Secret>(provider.client, resources.secrets, key, { signal }),
      };
    },
  };
}

const secretNameOf = (binding: ClusterBinding | undefined): string =>
  binding?.spec.kubeconfigSecretRef.name ?? fixedNames.providerKubeconfigSecret;

/** Calls `notify` when the API server's address for consumers may have changed. */
function onOtherEndpoint({ scope }: Setup<'provider'>, endpoint: () => Endpoint, notify: () => void): void {
  let given = endpoint();
  scope.every(endpointCheckMs, () => {
    const now = endpoint();
    if (now.server === given.server && now.caData === given.caData && now.tlsServerName === given.tlsServerName) return;
    given = now;
    notify();
  });
}

/** The condition first, then the credential. */
function stepOf(settings: Settings, seen: Seen): Step<CredentialStep> {
  const { binding, serverNow, conditionInMs } = seen;
  const decision = decide(settings, seen, seen.endpoint, serverNow);
  const { action, verdict, at = Infinity } = decision;
  const actions: readonly Action[] = action === undefined ? [] : [action];
  const stale =
    binding === undefined || withCondition(binding, decision, seen.now) === binding.status?.conditions
      ? undefined
      : binding;
  if (stale !== undefined && conditionInMs === 0)
    return {
      actions: [{ type: 'writeCondition', binding: stale, decision }, ...actions],
      event: conditionEvent(stale, decision),
    };
  if (actions.length > 0) return { actions };
  if (stale !== undefined) return { actions, lasts: true, requeueAfterMs: conditionInMs };
  const event = verdictEvent(decision);
  return {
    actions: [],
    event,
    lasts: verdict.kind === 'progressing' || verdict.kind === 'revoked',
    ...(event?.type === 'Warning' || at === Infinity
      ? {}
      : { requeueAfterMs: Math.min(clockCheckMs, Math.max(0, at - serverNow)) + 1 }),
  };
}

/** The Event comes before the condition: a consumer may have left no room for the condition. */
function conditionEvent(binding: ClusterBinding, { condition }: Decision): EventMessage | undefined {
  if (condition === undefined || condition === 'none' || condition.status !== 'True') return undefined;
  const before = getCondition(binding.status?.conditions, conditionTypes.credentialExpiring);
  if (before?.reason === condition.reason) return undefined;
  return { type: 'Warning', reason: condition.reason ?? '', message: condition.message ?? '' };
}

function verdictEvent({ verdict }: Decision): EventMessage | undefined {
  switch (verdict.kind) {
    case 'held':
      return problemEvent(verdict.problem);
    case 'valid':
      return verdict.outdated.length === 0 ? undefined : outdatedEvent(verdict.outdated);
    case 'absent':
    case 'revoked':
    case 'progressing':
      return undefined;
  }
}

/** Takes one step, within the budgets of tokens and of conditions. */
class Actor {
  readonly #setup: Setup<'provider'>;
  readonly #caches: Caches;
  readonly #options: ActOptions;
  readonly #tokens = new WriteBudget(issueBudget);
  /** Limits rewrites: a consumer may remove the condition as often as it likes. */
  readonly #conditions = new WriteBudget();

  constructor(
    setup: Setup<'provider'>,
    caches: Caches,
    options: Pick<ActOptions, 'settings' | 'endpoint' | 'serverTime'>,
  ) {
    this.#setup = setup;
    this.#caches = caches;
    this.#options = {
      ...options,
      client: setup.clusters.provider.client,
      kubeconfigs: caches.kubeconfigs,
      // Refusals are retried with back-off, and spend no budget.
      onMade: (type, namespace) => {
        this.#tokens.spend(keyOfMade(type, namespace), setup.clock.monotonic());
      },
    };
  }

  conditionInMs(namespace: string): number {
    return this.#conditions.waitMs(namespace, this.#setup.clock.monotonic());
  }

  async act(
    action: CredentialStep,
    binding: ClusterBinding | undefined,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    if (action.type === 'writeCondition') {
      await this.#writeCondition(action, signal);
      return undefined;
    }
    if (action.type === 'issueToken' || action.type === 'createSlot') {
      const { namespace = '' } = (action.type === 'issueToken' ? action.binding : action.account).metadata;
      const waitMs = this.#tokens.waitMs(keyOfMade(action.type, namespace), this.#setup.clock.monotonic());
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    }
    await act(this.#options, action, signal);
    // The watch delivers everything except a Secret of another name.
    return secretNameOf(binding) === fixedNames.providerKubeconfigSecret
      ? { kind: 'done' }
      : { kind: 'requeue', afterMs: unwatchedMs };
  }

  async #writeCondition({ binding, decision }: WriteCondition, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#setup;
    const { namespace = '' } = binding.metadata;
    this.#conditions.spend(namespace, clock.monotonic());
    try {
      await this.#caches.bindings.commitStatus(
        binding,
        (status, current) => ({ ...status, conditions: withCondition(current, decision, clock.now()) }),
        signal,
      );
    } catch (error) {
      // The rest does not wait for the consumer, which may leave no room on its ClusterBinding.
      if (decision.action === undefined || signal.aborted) throw error;
      logger.warn('The condition of a credential could not be written.', { namespace, error });
    }
  }
}

const keyOfMade = (type: Action['type'], namespace: string): string => `${type} ${namespace}`;

/** The conditions with the wanted `CredentialExpiring`; the same list if nothing changes. */
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
