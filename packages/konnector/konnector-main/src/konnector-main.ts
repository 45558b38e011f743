import type { BackoffOptions } from '@hawser/clock';
import type { KubeObject, Resource } from '@hawser/client';
import { type Controller, type Queue, type Result, WriteBudget, createController, done } from '@hawser/controller';
import { type SecretKeyRef, createNamedWatches, fillInformers, tellConditions } from '@hawser/konnector-connection';
import { type APIServiceBinding, type APIServiceBindingBundle, type APIServiceBindingStatus, type Secret, commitStatus, fixedNames, holdsObjects, labels, resources, setBindingSummary, setCondition } from '@hawser/kube-bind';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import { createBundles, noBundles } from './bundles.js';
import { type BindingObserved, type IdentityMismatch, decideConditions } from './conditions.js';
import type { ConnectionRunner } from './connection-runner.js';
import { createConsumerIdentity } from './consumer-identity.js';
import { type ConnectionState, Connections } from './connections.js';
import type { StartSet } from './controller-set.js';
import { createIdentityPins, pinnedIn, samePins } from './identity-pins.js';
import { type Member, type Target, bindingMember, bindingOf, bundleMember, bundleOf, isBound, secretMember } from './observed.js';
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
  /** Whether there are APIServiceBindingBundles to be connected for. Default true. */
  readonly bundles?: boolean | undefined;
}

/** The top of the konnector. */
export interface KonnectorMain extends Controller<'consumer'> {
  /** The connections as they are now. */
  readonly connections: readonly ConnectionState[];
}

const name = 'konnector';
const connectionsKey = 'connections';
const bindingPrefix = 'binding/';
const bundlePrefix = 'bundle/';
/** Between two looks at which cluster this is, while something says that it is bound to another. */
const consumerRetryMs = 10_000;

/**
 * Runs one controller set per provider kubeconfig (spec/konnector.md §6.1, §6.2): watches the APIServiceBindings of the consumer and the Secrets that
 * they name, and only those; bindings whose Secrets hold the same bytes share a set; the last one that leaves stops it. Reports `SecretValid` and
 * `InformersSynced` on each binding.
 *
 * A changed kubeconfig is tried before it is used; the old connection goes on until the new one is ready, and has ended before the new one writes.
 * A Secret that is missing or unusable stops nothing.
 *
 * Each binding and bundle is bound to the clusters that it was connected to first: a kubeconfig that leads to another provider, and a binding that was copied
 * into another consumer cluster, are not served until somebody accepts that.
 */
export function createKonnectorMain(options: KonnectorMainOptions): KonnectorMain {
  let connections: Connections | undefined;
  const controller = createController<'consumer'>(name, async (ctx, scope) => {
    const { consumer } = ctx.clusters;
    const bindings = scope.informer(consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }));
    const labelled = options.labelledSecrets === false ? undefined : scope.informer(consumer.informers.acquire<Secret>({ resource: resources.secrets, labelSelector: `${labels.providerKubeconfig}=true` }));
    const secrets = createNamedWatches<Secret>(consumer.informers, resources.secrets, () => { lookAgain(); });
    scope.own(() => { secrets.close(); });
    const identity = createConsumerIdentity(consumer.client);
    let identityReadMs = Number.NEGATIVE_INFINITY;
    const pins = createIdentityPins(consumer.client, ctx.logger);
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
    /** Two of us, while one does not know yet that the other has the Lease, see different connections and say so. */
    const budget = new WriteBudget();
    const queue: Queue = scope.openQueue({ name, reconcile, concurrency: 4 });

    scope.own(bindings.addHandler({
      onAdd: lookAgain,
      onUpdate: (before, after) => {
        repinned(bindingMember(after.metadata.name), before, after);
        if (before.metadata.uid !== after.metadata.uid || !sameRef(refOf(before), refOf(after))) lookAgain();
        queue.add(bindingPrefix + after.metadata.name);
      },
      onDelete: ({ metadata }) => {
        pins.forget(bindingMember(metadata.name));
        lookAgain();
      },
    }));
    if (labelled !== undefined) scope.onChange(labelled, lookAgain);
    const bundles = options.bundles === false ? noBundles : createBundles({
      consumer,
      informer: scope.informer(consumer.informers.acquire<APIServiceBindingBundle>({ resource: resources.apiServiceBindingBundles })),
      clock: ctx.clock,
      random: ctx.random,
      lookAgain,
      changed: (bundle, before, after) => {
        repinned(bundleMember(bundle), before, after);
        queue.add(bundlePrefix + bundle);
      },
      gone: (bundle) => { pins.forget(bundleMember(bundle)); },
    });
    await fillInformers([bindings], scope.signal);
    watchSecrets();
    // So that the first decision sees every Secret, and not one after the other.
    await secrets.settled(scope.signal);
    await identity.read(scope.signal);
    lookAgain();

    function lookAgain(): void {
      queue.add(connectionsKey);
    }

    /** Somebody has accepted, or taken back, that it is bound to other clusters; or it is another one of that name. */
    function repinned(member: Member, before: KubeObject, after: KubeObject): void {
      if (before.metadata.uid === after.metadata.uid && samePins(before, after)) return;
      pins.forget(member);
      lookAgain();
    }

    function watchSecrets(): void {
      const refs = [...bindings.list().map(refOf), ...bundles.names().map((bundle) => bundles.refOf(bundle))];
      secrets.want(refs.flatMap(refsOf).map(({ namespace, name: secret }) => ({ namespace, name: secret })));
    }

    function readRef(ref: SecretKeyRef | undefined): SecretReading {
      return ref === undefined ? { kind: 'missing' } : reader.read(secrets.read({ namespace: ref.namespace, name: ref.name }), ref.key);
    }

    function secretsOf(member: Member): readonly SecretKeyRef[] {
      const bundle = bundleOf(member);
      if (bundle !== undefined) return refsOf(bundles.refOf(bundle));
      const binding = bindingOf(member);
      if (binding === undefined) return labelledRefs().filter((ref) => secretMember(ref.namespace, ref.name) === member);
      const object = bindings.get(binding);
      return refsOf(object === undefined ? undefined : refOf(object));
    }

    function labelledRefs(): readonly SecretKeyRef[] {
      return (labelled?.list() ?? []).map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name, key: fixedNames.kubeconfigKey }));
    }

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      if (key.startsWith(bundlePrefix)) return reportBundle(key.slice(bundlePrefix.length), signal);
      if (key !== connectionsKey) return report(key.slice(bindingPrefix.length), signal);
      const again = await settle(signal);
      for (const bundle of bundles.names()) queue.add(bundlePrefix + bundle);
      for (const { metadata } of bindings.list()) queue.add(bindingPrefix + metadata.name);
      return again;
    }

    async function settle(signal: AbortSignal): Promise<Result> {
      watchSecrets();
      const objects = [...bindings.list(), ...bundles.list()];
      // The cluster may have been set up anew under this very process.
      if (objects.some(isForeign) && ctx.clock.monotonic() - identityReadMs > consumerRetryMs) {
        identityReadMs = ctx.clock.monotonic();
        await identity.read(signal);
      }
      const targets = new Map<Member, Target>();
      const valid = new Map<string, ValidSecret>();
      const want = (member: Member, reading: SecretReading, object?: KubeObject): void => {
        if (reading.kind === 'valid') valid.set(reading.hash, reading);
        // A labelled Secret is bound to nothing: there is nobody who could accept another provider for it, and after a restart it counts as it is, too.
        const pin = object === undefined ? undefined : pins.providerOf(member, object);
        const target: Target = reading.kind === 'valid' ? { kind: 'connect', hash: reading.hash, pin } : { kind: 'stay', pin };
        targets.set(member, object !== undefined && isForeign(object) ? { kind: 'refused' } : target);
      };
      for (const binding of bindings.list()) want(bindingMember(binding.metadata.name), readRef(refOf(binding)), binding);
      for (const bundle of bundles.list()) want(bundleMember(bundle.metadata.name), readRef(bundles.refOf(bundle.metadata.name)), bundle);
      for (const secret of labelled?.list() ?? []) {
        want(secretMember(secret.metadata.namespace ?? '', secret.metadata.name), reader.read({ kind: 'found', object: secret }, fixedNames.kubeconfigKey));
      }
      all.settle(targets, valid);
      for (const [member, target] of targets) {
        const serving = all.of(member);
        if (isBound(member) && target.kind === 'connect' && serving?.accepts(target.hash) === true && serving.phase === 'running' && serving.identity !== undefined) pins.note(member, serving.identity);
      }
      return objects.some(isForeign) ? { kind: 'requeue', afterMs: consumerRetryMs, priority: 'background' } : done;
    }

    /** Bound in another consumer cluster than this. */
    function isForeign(object: KubeObject): boolean {
      const { consumer: expected } = pinnedIn(object);
      return expected !== undefined && identity.known !== undefined && expected !== identity.known;
    }

    /** Writes down which clusters it is connected to, once it is, by the kubeconfig that it names now: it may have been made anew while the connection of its predecessor goes on. */
    async function pin<T extends KubeObject>(member: Member, ref: SecretKeyRef | undefined, resource: Resource, object: T, signal: AbortSignal): Promise<T> {
      const serving = all.of(member);
      const { provider, consumer: cluster } = pinnedIn(object);
      const secret = readRef(ref);
      if (secret.kind !== 'valid' || serving?.accepts(secret.hash) !== true) return object;
      if (serving.phase !== 'running' || serving.identity === undefined || (provider !== undefined && cluster !== undefined)) return object;
      // Live: what is written down is believed from then on.
      return pins.write(resource, object, { provider: serving.identity, consumer: await identity.read(signal) }, signal);
    }

    async function report(binding: string, signal: AbortSignal): Promise<Result> {
      const object = bindings.get(binding);
      if (object === undefined || !holdsObjects(object.metadata)) return done;
      const waitMs = budget.waitMs(bindingMember(binding), ctx.clock.monotonic());
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      const pinned = await pin(bindingMember(binding), refOf(object), resources.apiServiceBindings, object, signal);
      if (pinned !== object) bindings.observe(pinned);
      const conditions = decideConditions(observeBinding(pinned));
      const mutate = (status: APIServiceBindingStatus): APIServiceBindingStatus => {
        let next = status.conditions;
        for (const condition of conditions) next = setCondition(next, condition, ctx.clock.now());
        return { ...status, conditions: setBindingSummary(next, ctx.clock.now()) };
      };
      const written = await commitStatus(consumer.client, resources.apiServiceBindings, pinned, mutate, { clock: ctx.clock, random: ctx.random, signal });
      if (written === undefined || written === pinned) return done;
      budget.spend(bindingMember(binding), ctx.clock.monotonic());
      tellConditions(consumer.events, object, conditions);
      bindings.observe(written);
      return done;
    }

    async function reportBundle(bundle: string, signal: AbortSignal): Promise<Result> {
      const member = bundleMember(bundle);
      const object = bundles.get(bundle);
      if (object === undefined) return done;
      const waitMs = budget.waitMs(member, ctx.clock.monotonic());
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      const pinned = await pin(member, bundles.refOf(bundle), resources.apiServiceBindingBundles, object, signal);
      if (pinned !== object) bundles.observe(pinned);
      const serving = all.of(member);
      const wrote = await bundles.report(bundle, { ...observeMember(member, bundles.refOf(bundle), pinned), works: serving?.phase === 'running' && serving.failure === undefined }, signal);
      if (wrote) budget.spend(member, ctx.clock.monotonic());
      return done;
    }

    function observeBinding(binding: APIServiceBinding): BindingObserved {
      return observeMember(bindingMember(binding.metadata.name), refOf(binding), binding);
    }

    function observeMember(member: Member, ref: SecretKeyRef | undefined, object: KubeObject): BindingObserved {
      const secret = readRef(ref);
      const serving = all.of(member);
      const connection: ConnectionRunner | undefined = secret.kind === 'valid' ? all.get(secret.hash) : serving;
      return {
        ref,
        secret,
        connection: connection === undefined ? undefined : { serves: connection === serving && connection.phase === 'running', failure: connection.failure },
        served: serving !== undefined,
        mismatch: mismatchOf(member, object, connection),
      };
    }

    function mismatchOf(member: Member, object: KubeObject, connection: ConnectionRunner | undefined): IdentityMismatch | undefined {
      const what = `${object.kind} ${object.metadata.name}`;
      if (isForeign(object)) return { side: 'consumer', object: what, expected: pinnedIn(object).consumer ?? '', found: identity.known ?? '' };
      const expected = pins.providerOf(member, object);
      const found = connection?.identity;
      if (expected === undefined || found === undefined || expected === found) return undefined;
      return { side: 'provider', object: what, expected, found, clusterNamespace: connection?.connection.clusterNamespace };
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

function refsOf(ref: SecretKeyRef | undefined): readonly SecretKeyRef[] {
  return ref === undefined ? [] : [ref];
}

function sameRef(a: SecretKeyRef | undefined, b: SecretKeyRef | undefined): boolean {
  return a?.namespace === b?.namespace && a?.name === b?.name && a?.key === b?.key;
}

