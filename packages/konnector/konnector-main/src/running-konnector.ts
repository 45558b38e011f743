import { type KubeObject, isForbidden } from '@hawser/client';
import {
  type ControllerContext,
  type Queue,
  type QueueOptions,
  type Result,
  type Scope,
  done,
} from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import {
  type NamedWatches,
  type SecretKeyRef,
  createNamedWatches,
  fillInformers,
  readNamed,
} from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  type Secret,
  fixedNames,
  labels,
  resources,
} from '@hawser/kube-bind';
import { type Bundles, createBundles, noBundles } from './bundles.js';
import { type ConsumerIdentity, createConsumerIdentity } from './consumer-identity.js';
import { type ConnectionState, Connections } from './connections.js';
import { isOtherCluster } from './decide-mismatch.js';
import { type MemberObserved, decideTargets } from './decide-targets.js';
import { FirstReadings } from './first-readings.js';
import { Handovers } from './handovers.js';
import { type IdentityPins, createIdentityPins, pinnedIn, samePins } from './identity-pins.js';
import type { KonnectorMainOptions } from './konnector-main.js';
import { MemberReports, refOf } from './member-reports.js';
import { type Member, bindingMember, bindingOf, bundleMember, bundleOf, secretMember } from './observed.js';
import { type SecretReading, SecretReader } from './secret-reading.js';

const connectionsKey = 'connections';
const bindingPrefix = 'binding/';
const bundlePrefix = 'bundle/';
/** Period for checking the cluster's identity while an object is bound to another. */
const consumerRetryMs = 10_000;

/** One run of the konnector: turns bindings, bundles and Secrets into connections, and reports on them. */
export class RunningKonnector {
  readonly #ctx: ControllerContext<'consumer'>;
  readonly #scope: Scope;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #labelled: InformerHandle<Secret> | undefined;
  readonly #bundles: Bundles;
  readonly #secrets: NamedWatches<Secret>;
  readonly #reader: SecretReader;
  readonly #identity: ConsumerIdentity;
  readonly #pins: IdentityPins;
  readonly #first: FirstReadings;
  readonly #connections: Connections;
  readonly #reports: MemberReports;
  readonly #queue: Queue;
  readonly #serves: (secret: SecretKeyRef | undefined) => boolean;
  readonly #handovers: Handovers;
  #identityReadMs = Number.NEGATIVE_INFINITY;

  constructor(options: KonnectorMainOptions, name: string, ctx: ControllerContext<'consumer'>, scope: Scope) {
    const { consumer } = ctx.clusters;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#serves = options.serves ?? (() => true);
    this.#handovers = new Handovers(() => this.#connections.isOnly((member) => this.#isServed(member)));
    this.#bindings = scope.cache<APIServiceBinding>(consumer, { resource: resources.apiServiceBindings });
    this.#labelled = options.labelledSecrets === false ? undefined : this.#openLabelled();
    this.#secrets = scope.own(this.#watchNamedSecrets());
    this.#identity = createConsumerIdentity(consumer.client);
    this.#pins = createIdentityPins(consumer.client, ctx.logger);
    this.#reader = new SecretReader(options.policy ?? {});
    this.#first = this.#makeFirstReadings();
    this.#connections = this.#openConnections(options);
    const reconcile: QueueOptions['reconcile'] = (key, signal) => this.#handovers.during(this.#reconcile(key, signal));
    this.#queue = scope.openQueue({ name, concurrency: 4, reconcile });
    this.#followBindings();
    if (this.#labelled !== undefined) scope.watch(this.#labelled, this.#queue, () => connectionsKey);
    this.#bundles = options.bundles === false ? noBundles : this.#openBundles();
    this.#reports = this.#makeReports();
  }

  /** Resolves when the caches are filled; then decides connections. */
  async fill(): Promise<void> {
    const { signal } = this.#scope;
    await fillInformers([this.#bindings], signal);
    this.#watchSecrets();
    // The first decision must see all Secrets at once.
    await this.#secrets.settled(signal);
    await this.#identity.read(signal);
    this.#lookAgain();
  }

  get connections(): readonly ConnectionState[] {
    return this.#connections.state;
  }

  /** See {@link KonnectorMain.settle}. */
  async settle(): Promise<void> {
    this.#lookAgain();
    await this.#handovers.done();
  }

  #openLabelled(): InformerHandle<Secret> {
    const labelSelector = `${labels.providerKubeconfig}=true`;
    return this.#scope.cache(this.#ctx.clusters.consumer, { resource: resources.secrets, labelSelector });
  }

  #watchNamedSecrets(): NamedWatches<Secret> {
    return createNamedWatches(this.#ctx.clusters.consumer.informers, resources.secrets, () => {
      this.#lookAgain();
    });
  }

  #makeFirstReadings(): FirstReadings {
    return new FirstReadings({
      clock: this.#ctx.clock,
      isServed: (member) => this.#connections.of(member) !== undefined,
      refOf: (member) => this.#secretsOf(member)[0],
      readLive: (ref, signal) => this.#readLive(ref, signal),
    });
  }

  #openConnections({ startSet, prepareTimeoutMs = 150_000, backoff }: KonnectorMainOptions): Connections {
    const { clock, random, logger } = this.#ctx;
    const connections = new Connections({
      startSet,
      prepareTimeoutMs,
      backoff: backoff ?? { initialMs: 1000, capMs: 120_000 },
      clock,
      random,
      logger,
      secretsOf: (member) => this.#secretsOf(member),
      onChange: () => {
        this.#handovers.look();
        this.#lookAgain();
      },
    });
    this.#scope.own(async () => {
      await connections.stop();
      this.#handovers.look();
    });
    return connections;
  }

  #makeReports(): MemberReports {
    return new MemberReports({
      ctx: this.#ctx,
      bindings: this.#bindings,
      bundles: this.#bundles,
      connections: this.#connections,
      pins: this.#pins,
      identity: this.#identity,
      read: (ref) => this.#readRef(ref),
      isStill: (ref, hash, signal) => this.#isStill(ref, hash, signal),
    });
  }

  /** A member no longer served leaves its connection with the next look. */
  #isServed(member: Member): boolean {
    const [ref] = this.#secretsOf(member);
    if (ref !== undefined) return this.#serves(ref);
    const binding = bindingOf(member);
    return binding !== undefined && this.#bindings.get(binding) !== undefined && this.#serves(undefined);
  }

  #servedBindings(): readonly APIServiceBinding[] {
    return this.#bindings.list().filter((binding) => this.#serves(refOf(binding)));
  }

  #servedBundles(): readonly APIServiceBindingBundle[] {
    return this.#bundles.list().filter(({ metadata }) => this.#serves(this.#bundles.refOf(metadata.name)));
  }

  #followBindings(): void {
    this.#scope.own(
      this.#bindings.addHandler({
        onAdd: () => {
          this.#lookAgain();
        },
        onUpdate: (before, after) => {
          this.#repinned(bindingMember(after.metadata.name), before, after);
          if (before.metadata.uid !== after.metadata.uid || !sameRef(refOf(before), refOf(after))) this.#lookAgain();
          this.#queue.add(bindingPrefix + after.metadata.name);
        },
        onDelete: ({ metadata }) => {
          this.#forget(bindingMember(metadata.name));
          this.#lookAgain();
        },
      }),
    );
  }

  #openBundles(): Bundles {
    const { consumer } = this.#ctx.clusters;
    return createBundles({
      consumer,
      informer: this.#scope.cache<APIServiceBindingBundle>(consumer, { resource: resources.apiServiceBindingBundles }),
      clock: this.#ctx.clock,
      random: this.#ctx.random,
      lookAgain: () => {
        this.#lookAgain();
      },
      changed: (bundle, before, after) => {
        this.#repinned(bundleMember(bundle), before, after);
        this.#queue.add(bundlePrefix + bundle);
      },
      gone: (bundle) => {
        this.#forget(bundleMember(bundle));
      },
    });
  }

  #lookAgain(): void {
    this.#queue.add(connectionsKey);
  }

  /** Handles a person's changed approval of other clusters, and another object of that name. */
  #repinned(member: Member, before: KubeObject, after: KubeObject): void {
    if (before.metadata.uid === after.metadata.uid && samePins(before, after)) return;
    this.#forget(member);
    this.#lookAgain();
  }

  #forget(member: Member): void {
    this.#pins.forget(member);
    this.#first.forget(member);
  }

  #watchSecrets(): void {
    const refs = [
      ...this.#servedBindings().map(refOf),
      ...this.#servedBundles().map(({ metadata }) => this.#bundles.refOf(metadata.name)),
    ];
    this.#secrets.want(refs.flatMap(refsOf).map(({ namespace, name: secret }) => ({ namespace, name: secret })));
  }

  async #isStill(ref: SecretKeyRef | undefined, hash: string, signal: AbortSignal): Promise<boolean> {
    try {
      const reading = await this.#readLive(ref, signal);
      return reading.kind === 'valid' && reading.hash === hash;
    } catch (error) {
      // The watch on it reports this.
      if (isForbidden(error)) return false;
      throw error;
    }
  }

  /** Reads the Secret from the API server, and updates the cache. */
  async #readLive(ref: SecretKeyRef | undefined, signal: AbortSignal): Promise<SecretReading> {
    if (ref === undefined) return { kind: 'missing' };
    const live = await readNamed<Secret>(this.#ctx.clusters.consumer.client, resources.secrets, ref, signal);
    if (live === undefined) return { kind: 'missing' };
    this.#secrets.observe(live);
    return this.#reader.read({ kind: 'found', object: live }, ref.key);
  }

  #readRef(ref: SecretKeyRef | undefined): SecretReading {
    return ref === undefined
      ? { kind: 'missing' }
      : this.#reader.read(this.#secrets.read({ namespace: ref.namespace, name: ref.name }), ref.key);
  }

  #secretsOf(member: Member): readonly SecretKeyRef[] {
    const bundle = bundleOf(member);
    if (bundle !== undefined) return refsOf(this.#bundles.refOf(bundle));
    const binding = bindingOf(member);
    if (binding === undefined)
      return this.#labelledRefs().filter((ref) => secretMember(ref.namespace, ref.name) === member);
    const object = this.#bindings.get(binding);
    return refsOf(object === undefined ? undefined : refOf(object));
  }

  #labelledRefs(): readonly SecretKeyRef[] {
    return (this.#labelled?.list() ?? []).map(refOfSecret);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    if (key.startsWith(bundlePrefix)) {
      const bundle = key.slice(bundlePrefix.length);
      return this.#isServed(bundleMember(bundle)) ? this.#reports.reportBundle(bundle, signal) : done;
    }
    if (key !== connectionsKey) {
      const binding = key.slice(bindingPrefix.length);
      return this.#isServed(bindingMember(binding)) ? this.#reports.reportBinding(binding, signal) : done;
    }
    const again = await this.#settle(signal);
    for (const { metadata } of this.#servedBundles()) this.#queue.add(bundlePrefix + metadata.name);
    for (const { metadata } of this.#servedBindings()) this.#queue.add(bindingPrefix + metadata.name);
    return again;
  }

  async #settle(signal: AbortSignal): Promise<Result> {
    this.#watchSecrets();
    const objects = [...this.#servedBindings(), ...this.#servedBundles()];
    // The cluster may have been set up anew under this very process.
    if (
      objects.some((object) => this.#isForeign(object)) &&
      this.#ctx.clock.monotonic() - this.#identityReadMs > consumerRetryMs
    ) {
      this.#identityReadMs = this.#ctx.clock.monotonic();
      await this.#identity.read(signal);
    }
    const { members, failed } = await this.#first.confirm(this.#observeMembers(), signal);
    const { targets, kubeconfigs } = decideTargets(members);
    this.#connections.settle(targets, kubeconfigs);
    this.#notePins(members);
    if (failed !== undefined) throw failed.error;
    return objects.some((object) => this.#isForeign(object))
      ? { kind: 'requeue', afterMs: consumerRetryMs, priority: 'background' }
      : done;
  }

  #observeMembers(): readonly MemberObserved[] {
    const bound = (member: Member, ref: SecretKeyRef | undefined, object: KubeObject): MemberObserved => ({
      member,
      uid: object.metadata.uid,
      secret: this.#readRef(ref),
      pin: this.#pins.providerOf(member, object),
      foreign: this.#isForeign(object),
    });
    return [
      ...this.#servedBindings().map((binding) => bound(bindingMember(binding.metadata.name), refOf(binding), binding)),
      ...this.#servedBundles().map((bundle) =>
        bound(bundleMember(bundle.metadata.name), this.#bundles.refOf(bundle.metadata.name), bundle),
      ),
      // A labelled Secret is not bound to a provider: a change of provider needs no approval. The same after a restart.
      ...(this.#labelled?.list() ?? [])
        .filter((secret) => this.#serves(refOfSecret(secret)))
        .map((object): MemberObserved => ({
          member: secretMember(object.metadata.namespace ?? '', object.metadata.name),
          uid: object.metadata.uid,
          secret: this.#reader.read({ kind: 'found', object }, fixedNames.kubeconfigKey),
          pin: undefined,
          foreign: false,
        })),
    ];
  }

  /** Remembers where each member is served, with its Secret's kubeconfig. */
  #notePins(members: readonly MemberObserved[]): void {
    for (const observed of members) {
      const { member, uid, secret } = observed;
      const serving = this.#connections.of(member);
      if (
        secret.kind === 'valid' &&
        serving?.accepts(secret.hash) === true &&
        serving.phase === 'running' &&
        serving.identity !== undefined &&
        this.#first.has(observed, secret.hash)
      )
        this.#pins.note(member, uid, serving.identity);
    }
  }

  /** Whether the object was bound in another consumer cluster. */
  #isForeign(object: KubeObject): boolean {
    return isOtherCluster(pinnedIn(object).consumer, this.#identity.known);
  }
}

function refOfSecret({ metadata }: Secret): SecretKeyRef {
  return { namespace: metadata.namespace ?? '', name: metadata.name, key: fixedNames.kubeconfigKey };
}

function refsOf(ref: SecretKeyRef | undefined): readonly SecretKeyRef[] {
  return ref === undefined ? [] : [ref];
}

function sameRef(a: SecretKeyRef | undefined, b: SecretKeyRef | undefined): boolean {
  return a?.namespace === b?.namespace && a?.name === b?.name && a?.key === b?.key;
}
