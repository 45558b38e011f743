import { ApiError, isNotFound } from '@hawser/client';
import type { Subscription } from '@hawser/informer';
import {
  type ClusterIdentities,
  type ConnectionSides,
  readClusterIdentities,
  readProviderIdentity,
} from '@hawser/konnector-connection';
import { shareReadings } from '@hawser/konnector-sync';

const CONFIRM_MS = 30_000;

/**
 * Identities of both clusters: read once, live. From then on, the provider has to prove its identity after each lost
 * connection before it gets a write: another cluster may answer at its address.
 */
export class ConnectionIdentities {
  readonly #sides: ConnectionSides;
  #known: ClusterIdentities | undefined;
  #proof: Subscription | undefined;
  /**
   * Resolves if the provider is still the one that was resolved.
   * @throws {ApiError} `Unreachable` if another cluster answers; as the read does
   */
  readonly confirmProvider = shareReadings(() => this.#confirmProvider());

  constructor(sides: ConnectionSides) {
    this.#sides = sides;
  }

  async resolve(signal: AbortSignal): Promise<void> {
    if (this.#known !== undefined) return;
    this.#known = await readClusterIdentities(this.#sides, signal);
    this.#proof ??= this.#sides.provider.recovery?.proveBeforeWrites(this.confirmProvider);
  }

  /** The identities, once resolved. */
  get known(): ClusterIdentities {
    if (this.#known === undefined) throw new Error('identities are resolved before syncs start');
    return this.#known;
  }

  close(): void {
    this.#proof?.close();
  }

  async #confirmProvider(): Promise<void> {
    const { provider, clusterNamespace } = this.#sides;
    const { clusterNamespaceUid } = this.known;
    // Not that of the controller: when it stops, it may still report.
    const signal = AbortSignal.timeout(CONFIRM_MS);
    try {
      if ((await readProviderIdentity(provider, clusterNamespace, signal)) === clusterNamespaceUid) return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    throw new ApiError(
      'Unreachable',
      `the provider at this address is not the one that was bound: its namespace ${clusterNamespace} is not the one with uid ${clusterNamespaceUid}`,
      { cluster: provider.name, verb: 'get', resource: 'namespaces', name: clusterNamespace },
    );
  }
}
