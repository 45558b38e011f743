import { type KubeObject, type Resource, statusPatch } from '@hawser/client';
import {
  type ControllerContext,
  type Efforts,
  type Result,
  WriteBudget,
  createEfforts,
  done,
} from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type SecretKeyRef, recordConditions, recordUndone } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  commitStatus,
  holdsObjects,
  resources,
  setBindingSummary,
  setCondition,
} from '@hawser/kube-bind';
import type { Bundles } from './bundles.js';
import { type BindingObserved, decideConditions } from './conditions.js';
import type { Connections } from './connections.js';
import type { ConsumerIdentity } from './consumer-identity.js';
import { decideMismatch } from './decide-mismatch.js';
import { type IdentityPins, pinnedIn } from './identity-pins.js';
import { type Member, bindingMember, bundleMember } from './observed.js';
import type { SecretReading } from './secret-reading.js';

export interface MemberReportsOptions {
  readonly ctx: ControllerContext<'consumer'>;
  readonly bindings: InformerHandle<APIServiceBinding>;
  readonly bundles: Bundles;
  readonly connections: Connections;
  readonly pins: IdentityPins;
  readonly identity: ConsumerIdentity;
  /** Reads the current content of the Secret. */
  readonly read: (ref: SecretKeyRef | undefined) => SecretReading;
  /** Whether the Secret still has the kubeconfig of that hash, read live. */
  readonly isStill: (ref: SecretKeyRef | undefined, hash: string, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Reports on bindings and bundles the state of kubeconfig and connection, and records the clusters they are bound to.
 */
export class MemberReports {
  readonly #options: MemberReportsOptions;
  /** Two processes may report different connections while one does not yet know that the other has the Lease. */
  readonly #budget = new WriteBudget();
  /** By member: conditions that the API server accepted but dropped from its answer. */
  readonly #undone: Efforts;

  constructor(options: MemberReportsOptions) {
    this.#options = options;
    this.#undone = createEfforts(options.ctx.clock, options.ctx.random);
  }

  async reportBinding(binding: string, signal: AbortSignal): Promise<Result> {
    const { ctx, bindings } = this.#options;
    const { consumer } = ctx.clusters;
    const member = bindingMember(binding);
    const object = bindings.get(binding);
    if (object === undefined || !holdsObjects(object.metadata)) return done;
    const waitMs = this.#budget.waitMs(member, ctx.clock.monotonic());
    if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    const pinned = await this.#pin(member, refOf(object), resources.apiServiceBindings, object, signal);
    if (pinned !== object) bindings.observe(pinned);
    const undoneMs = this.#undone.waits(member);
    if (undoneMs > 0) return { kind: 'requeue', afterMs: undoneMs };
    const conditions = decideConditions(this.#observe(member, refOf(pinned), pinned));
    const mutate = (status: APIServiceBindingStatus): APIServiceBindingStatus => {
      let next = status.conditions;
      for (const condition of conditions) next = setCondition(next, condition, ctx.clock.now());
      return { ...status, conditions: setBindingSummary(next, ctx.clock.now()) };
    };
    const written = await commitStatus(consumer.client, resources.apiServiceBindings, pinned, mutate, {
      clock: ctx.clock,
      random: ctx.random,
      signal,
    });
    if (written === undefined || written === pinned) return done;
    this.#wrote(member, object, statusPatch(written.status ?? {}, mutate(written.status ?? {})) === undefined);
    recordConditions(consumer.events, object, conditions);
    bindings.observe(written);
    return done;
  }

  async reportBundle(bundle: string, signal: AbortSignal): Promise<Result> {
    const { ctx, bundles, connections } = this.#options;
    const member = bundleMember(bundle);
    const object = bundles.get(bundle);
    if (object === undefined) return done;
    const waitMs = this.#budget.waitMs(member, ctx.clock.monotonic());
    if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    const pinned = await this.#pin(member, bundles.refOf(bundle), resources.apiServiceBindingBundles, object, signal);
    if (pinned !== object) bundles.observe(pinned);
    const undoneMs = this.#undone.waits(member);
    if (undoneMs > 0) return { kind: 'requeue', afterMs: undoneMs };
    const serving = connections.of(member);
    const written = await bundles.report(
      bundle,
      {
        ...this.#observe(member, bundles.refOf(bundle), pinned),
        works: serving?.phase === 'running' && serving.failure === undefined,
      },
      signal,
    );
    if (written !== 'nothing') this.#wrote(member, object, written === 'stays');
    return done;
  }

  #wrote(member: Member, object: KubeObject, stays: boolean): void {
    const { clock, clusters } = this.#options.ctx;
    this.#budget.spend(member, clock.monotonic());
    if (stays) return;
    this.#undone.done(member);
    recordUndone(clusters.consumer.events, object, 'the status of this object');
  }

  /**
   * Records its clusters once it is connected with its current kubeconfig. It may be a new object while its
   * predecessor's connection goes on.
   */
  async #pin<T extends KubeObject>(
    member: Member,
    ref: SecretKeyRef | undefined,
    resource: Resource,
    object: T,
    signal: AbortSignal,
  ): Promise<T> {
    const serving = this.#options.connections.of(member);
    const { provider, consumer: cluster } = pinnedIn(object);
    const secret = this.#options.read(ref);
    if (secret.kind !== 'valid' || serving?.accepts(secret.hash) !== true) return object;
    if (
      serving.phase !== 'running' ||
      serving.identity === undefined ||
      (provider !== undefined && cluster !== undefined)
    )
      return object;
    // Live: the record is trusted from then on. The cached Secret may be of a former cluster.
    if (provider === undefined && !(await this.#options.isStill(ref, secret.hash, signal))) return object;
    return this.#options.pins.write(
      resource,
      object,
      { provider: serving.identity, consumer: await this.#options.identity.read(signal) },
      signal,
    );
  }

  #observe(member: Member, ref: SecretKeyRef | undefined, object: KubeObject): BindingObserved {
    const { connections, pins, identity } = this.#options;
    const secret = this.#options.read(ref);
    const serving = connections.of(member);
    const connection = secret.kind === 'valid' ? connections.get(secret.hash) : serving;
    return {
      ref,
      secret,
      connection:
        connection === undefined
          ? undefined
          : { serves: connection === serving && connection.phase === 'running', failure: connection.failure },
      served: serving !== undefined,
      mismatch: decideMismatch({
        object: `${object.kind} ${object.metadata.name}`,
        bound: { provider: pins.providerOf(member, object), consumer: pinnedIn(object).consumer },
        found: { provider: connection?.identity, consumer: identity.known },
        clusterNamespace: connection?.connection.clusterNamespace,
      }),
    };
  }
}

/** The Secret that the binding names. */
export function refOf(binding: APIServiceBinding): SecretKeyRef | undefined {
  return binding.spec?.kubeconfigSecretRef;
}
