import type { BackoffOptions } from '@hawser/clock';
import { type Controller, type Queue, type Result, createController, createQueue, done } from '@hawser/controller';
import { type SecretKeyRef, createNamedWatches, fillInformers, tellConditions } from '@hawser/konnector-connection';
import { type APIServiceBinding, type APIServiceBindingStatus, type Secret, commitStatus, fixedNames, labels, resources, setCondition, setSummary } from '@hawser/kube-bind';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import { type BindingObserved, decideConditions } from './conditions.js';
import type { ConnectionRunner } from './connection-runner.js';
import { type ConnectionState, Connections } from './connections.js';
import type { StartSet } from './controller-set.js';
import { type Member, type Target, bindingMember, bindingOf, secretMember } from './observed.js';
import { type SecretReading, SecretReader, type ValidSecret } from './secret-reading.js';

export interface KonnectorMainOptions {
  /** Makes the controllers of a connection. */
  readonly startSet: StartSet;
  /** What a kubeconfig in a Secret may contain. Default: nothing but what is always allowed. */
  readonly policy?: KubeconfigPolicy | undefined;
  /** How long the caches of a connection may take to fill. Default 150 s, half the heartbeat interval (spec/konnector.md §7.1). */
  readonly prepareTimeoutMs?: number | undefined;
  /** Between tries of a connection that fails. Default 1 s to 2 min. */
  readonly backoff?: BackoffOptions | undefined;
  /** Also connect for Secrets labelled `kube-bind.io/provider-kubeconfig=true` that no binding names, so that the provider hears of us early. Default true. */
  readonly labelledSecrets?: boolean | undefined;
}

/** The top of the konnector. */
export interface KonnectorMain extends Controller<'consumer'> {
  /** The connections as they are now. */
  readonly connections: readonly ConnectionState[];
}

const name = 'konnector';
const connectionsKey = 'connections';
const bindingPrefix = 'binding/';

/**
 * Runs one controller set per provider kubeconfig (spec/konnector.md §6.1, §6.2): watches the APIServiceBindings of the consumer and the Secrets that
 * they name, and only those; bindings whose Secrets hold the same bytes share a set; the last one that leaves stops it. Reports `SecretValid` and
 * `InformersSynced` on each binding.
 *
 * A changed kubeconfig is tried before it is used; the old connection goes on until the new one is ready, and has ended before the new one writes.
 * A Secret that is missing or unusable stops nothing.
 */
export function createKonnectorMain(options: KonnectorMainOptions): KonnectorMain {
  let connections: Connections | undefined;
  const controller = createController<'consumer'>(name, async (ctx, scope) => {
    const { consumer } = ctx.clusters;
    const bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const labelled = options.labelledSecrets === false ? undefined : scope.informer(consumer.informers.acquire<Secret>({ resource: resources.secrets, labelSelector: `${labels.providerKubeconfig}=true` }));
    const secrets = createNamedWatches<Secret>(consumer.informers, resources.secrets, () => { lookAgain(); });
    scope.own(() => { secrets.close(); });
    const reader = new SecretReader(options.policy ?? {});
    const all = new Connections({
      startSet: options.startSet,
      prepareTimeoutMs: options.prepareTimeoutMs ?? 150_000,
      backoff: options.backoff ?? { initialMs: 1000, capMs: 120_000 },
      clock: ctx.clock,
      random: ctx.random,
      logger: ctx.logger,
      secretsOf,
      onChange: () => { lookAgain(); },
    });
    connections = all;
    scope.own(() => all.stop());
    const queue: Queue = scope.queue(createQueue({
      name, reconcile, concurrency: 4, clock: ctx.clock, random: ctx.random, logger: ctx.logger, metrics: ctx.metrics, ready: scope.ready,
    }));

    scope.own(bindings.addHandler({
      onAdd: lookAgain,
      onUpdate: (before, after) => {
        if (before.metadata.uid !== after.metadata.uid || !sameRef(refOf(before), refOf(after))) lookAgain();
        queue.add(bindingPrefix + after.metadata.name);
      },
      onDelete: lookAgain,
    }));
    if (labelled !== undefined) scope.own(labelled.addHandler({ onAdd: lookAgain, onUpdate: lookAgain, onDelete: lookAgain }));
    await fillInformers([bindings], scope.signal);
    watchSecrets();
    // So that the first decision sees every Secret, and not one after the other.
    await secrets.settled(scope.signal);
    lookAgain();

    function lookAgain(): void {
      queue.add(connectionsKey);
    }

    function watchSecrets(): void {
      secrets.want(bindings.list().flatMap((binding) => refOf(binding) ?? []).map(({ namespace, name: secret }) => ({ namespace, name: secret })));
    }

    function readRef(ref: SecretKeyRef | undefined): SecretReading {
      return ref === undefined ? { kind: 'missing' } : reader.read(secrets.read({ namespace: ref.namespace, name: ref.name }), ref.key);
    }

    function secretsOf(member: Member): readonly SecretKeyRef[] {
      const binding = bindingOf(member);
      if (binding === undefined) return labelledRefs().filter((ref) => secretMember(ref.namespace, ref.name) === member);
      const object = bindings.get(binding);
      const ref = object === undefined ? undefined : refOf(object);
      return ref === undefined ? [] : [ref];
    }

    function labelledRefs(): readonly SecretKeyRef[] {
      return (labelled?.list() ?? []).map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name, key: fixedNames.kubeconfigKey }));
    }

    function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      if (key !== connectionsKey) return report(key.slice(bindingPrefix.length), signal);
      settle();
      for (const { metadata } of bindings.list()) queue.add(bindingPrefix + metadata.name);
      return Promise.resolve(done);
    }

    function settle(): void {
      watchSecrets();
      const targets = new Map<Member, Target>();
      const valid = new Map<string, ValidSecret>();
      const want = (member: Member, reading: SecretReading): void => {
        if (reading.kind === 'valid') valid.set(reading.hash, reading);
        targets.set(member, reading.kind === 'valid' ? { kind: 'connect', hash: reading.hash } : { kind: 'stay' });
      };
      for (const binding of bindings.list()) want(bindingMember(binding.metadata.name), readRef(refOf(binding)));
      for (const secret of labelled?.list() ?? []) {
        want(secretMember(secret.metadata.namespace ?? '', secret.metadata.name), reader.read({ kind: 'found', object: secret }, fixedNames.kubeconfigKey));
      }
      all.settle(targets, valid);
    }

    async function report(binding: string, signal: AbortSignal): Promise<Result> {
      const object = bindings.get(binding);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return done;
      const conditions = decideConditions(observeBinding(object));
      const mutate = (status: APIServiceBindingStatus): APIServiceBindingStatus => {
        let next = status.conditions;
        for (const condition of conditions) next = setCondition(next, condition, ctx.clock.now());
        return { ...status, conditions: setSummary(next, ctx.clock.now()) };
      };
      const written = await commitStatus(consumer.client, resources.apiServiceBindings, object, mutate, { clock: ctx.clock, random: ctx.random, signal });
      if (written === undefined || written === object) return done;
      tellConditions(consumer.events, object, conditions);
      bindings.observe(written);
      return done;
    }

    function observeBinding(binding: APIServiceBinding): BindingObserved {
      const member = bindingMember(binding.metadata.name);
      const ref = refOf(binding);
      const secret = readRef(ref);
      const serving = all.of(member);
      const connection: ConnectionRunner | undefined = secret.kind === 'valid' ? all.get(secret.hash) : serving;
      return {
        ref,
        secret,
        connection: connection === undefined ? undefined : { serves: connection === serving && connection.phase === 'running', failure: connection.failure },
        served: serving !== undefined,
      };
    }
  });
  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    get connections() { return connections?.state ?? []; },
  };
}

function refOf(binding: APIServiceBinding): SecretKeyRef | undefined {
  return binding.spec?.kubeconfigSecretRef;
}

function sameRef(a: SecretKeyRef | undefined, b: SecretKeyRef | undefined): boolean {
  return a?.namespace === b?.namespace && a?.name === b?.name && a?.key === b?.key;
}

