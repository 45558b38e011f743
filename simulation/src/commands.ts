import { kubeBindDialect } from '@hawser/kube-bind';
import { type Client, createClient, isApiError } from '@hawser/client';
import {
  type BindingWish,
  type Offer,
  bind,
  observe,
  planBinding,
  planUnbinding,
  refusalText,
  unbind,
} from '@hawser/bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { Binding } from './names.js';
import type { SimCluster } from './sim-cluster.js';
import type { VirtualTime } from './virtual-time.js';

export interface CommandsParts {
  readonly time: VirtualTime;
  readonly consumer: () => SimCluster;
  readonly provider: (binding: Binding) => SimCluster;
  /** The API provider's current kubeconfig. */
  readonly kubeconfig: (binding: Binding) => string | undefined;
  readonly offer: (binding: Binding) => Offer;
  /** No command is running for the API any more. */
  readonly onEnd: (binding: Binding) => void;
  /** Output of a command, line by line. */
  readonly tell: (line: string) => void;
  /** A command threw an error that no API server sent. */
  readonly fail: (error: unknown) => void;
}

type Wish = 'bind' | 'unbind';

const TYPED_AGAIN_MS = 10_000;
const TIMEOUT_MS = 120_000;

/**
 * Commands that people type: `hawser bind` and `hawser unbind`, with the consumer's own credential. They repeat a
 * command until it succeeds, or until their wish changes.
 */
export class Commands {
  readonly #parts: CommandsParts;
  readonly #wishes = new Map<string, Wish>();
  readonly #busy = new Set<string>();
  readonly #unbinding = new Set<string>();

  constructor(parts: CommandsParts) {
    this.#parts = parts;
  }

  type(wish: Wish, binding: Binding): void {
    this.#wishes.set(binding.name, wish);
    if (this.#busy.has(binding.name)) return;
    this.#busy.add(binding.name);
    void this.#work(binding)
      .catch(this.#parts.fail)
      .finally(() => {
        this.#busy.delete(binding.name);
        this.#parts.onEnd(binding);
      });
  }

  /** People have another wish now, and carry it out without a command. */
  forget({ name }: Binding): void {
    this.#wishes.delete(name);
  }

  /** Whether any command is being typed. */
  get areTyped(): boolean {
    return this.#busy.size > 0;
  }

  /** Whether the command that deletes the binding is running. */
  isUnbinding(name: string): boolean {
    return this.#unbinding.has(name);
  }

  async #work(binding: Binding): Promise<void> {
    for (;;) {
      const wish = this.#wishes.get(binding.name);
      if (wish === undefined) return;
      const isDone = await this.#attempt(wish, binding);
      if (isDone && this.#wishes.get(binding.name) === wish) this.#wishes.delete(binding.name);
      else
        await new Promise<void>((resolve) => {
          this.#parts.time.setTimeout(resolve, TYPED_AGAIN_MS);
        });
    }
  }

  /** Whether all is as wanted. A refusal or a delay may be over later. */
  async #attempt(wish: Wish, binding: Binding): Promise<boolean> {
    const cluster = this.#parts.consumer();
    const kubeconfig = this.#parts.kubeconfig(binding);
    if (!cluster.up || kubeconfig === undefined) return false;
    const text = Buffer.from(kubeconfig, 'base64').toString();
    const read = parseSecretKubeconfig(text);
    if (!read.ok) throw new Error(`a kubeconfig that the provider of ${binding.name} hands out cannot be used`);
    const consumer = this.#client(cluster, cluster.administrator);
    const provider = this.#client(this.#parts.provider(binding), read.connection);
    try {
      const sides = { consumer, provider, signal: new AbortController().signal };
      return wish === 'bind'
        ? await this.#bind(sides, {
            dialect: kubeBindDialect,
            name: binding.name,
            offer: this.#parts.offer(binding),
            kubeconfig: text,
            clusterNamespace: read.namespace,
          })
        : await this.#unbind(sides, binding.name, read.namespace);
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#parts.tell(error.message);
      return false;
    } finally {
      await consumer.close();
      await provider.close();
    }
  }

  async #bind(sides: Sides, wish: BindingWish): Promise<boolean> {
    const plan = planBinding(wish, await observe(sides, wish));
    for (const refusal of plan.refusals) this.#parts.tell(refusalText(refusal));
    if (plan.refusals.length > 0) return false;
    return (
      (await bind({ ...sides, clock: this.#parts.time, print: this.#parts.tell, timeoutMs: TIMEOUT_MS }, wish, plan))
        .kind === 'bound'
    );
  }

  async #unbind(sides: Sides, name: string, clusterNamespace: string): Promise<boolean> {
    const plan = await planUnbinding({ ...sides, clusterNamespace }, { name, keepRequest: false, deleteSecret: false });
    this.#unbinding.add(name);
    try {
      return (
        (await unbind({ ...sides, clock: this.#parts.time, print: this.#parts.tell, timeoutMs: TIMEOUT_MS }, plan))
          .kind === 'unbound'
      );
    } finally {
      this.#unbinding.delete(name);
    }
  }

  #client({ name, direct }: SimCluster, connection: SimCluster['administrator']): Client {
    return createClient({ name, connection, dispatcher: direct, clock: this.#parts.time, random: () => 0.5 });
  }
}

interface Sides {
  readonly consumer: Client;
  readonly provider: Client;
  readonly signal: AbortSignal;
}
