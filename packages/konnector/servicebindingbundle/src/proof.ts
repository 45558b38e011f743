import { type Client, type KubeObject, getIfExists, isApiError } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import type { Absence } from './observed.js';

export interface ProverOptions {
  readonly provider: Client;
  readonly clusterNamespace: string;
}

/** Proves by live reads alone whether an export was deleted. */
export class Prover {
  readonly #options: ProverOptions;
  /** uid of the cluster namespace in which exports were seen. */
  #uid: string | undefined;

  constructor(options: ProverOptions) {
    this.#options = options;
  }

  /** Remembers the namespace with exports: a new one of its name proves nothing about the old one. Best effort. */
  async pin(signal: AbortSignal): Promise<void> {
    if (this.#uid !== undefined) return;
    try {
      this.#uid = (await this.#readNamespace(signal)).metadata.uid;
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
    }
  }

  /** Reads the namespace after the export: if it exists then, it existed before. `expected`: its known uid, if any. */
  async prove(name: string, expected: string | undefined, signal: AbortSignal): Promise<Absence> {
    const { provider, clusterNamespace } = this.#options;
    const key = { namespace: clusterNamespace, name };
    try {
      const live = await getIfExists<KubeObject>(provider, resources.apiServiceExports, key, {
        representation: 'metadata',
        signal,
      });
      if (live !== undefined) return { kind: 'exists' };
      const { metadata } = await this.#readNamespace(signal);
      if (metadata.deletionTimestamp !== undefined)
        return { kind: 'unproven', why: `namespace ${clusterNamespace} is being deleted on the provider` };
      const uid = expected ?? this.#uid;
      if (uid !== undefined && metadata.uid !== uid)
        return { kind: 'unproven', why: `namespace ${clusterNamespace} was made anew on the provider` };
      return { kind: 'gone' };
    } catch (error) {
      return unproven(error);
    }
  }

  #readNamespace(signal: AbortSignal): Promise<KubeObject> {
    const { provider, clusterNamespace: name } = this.#options;
    return provider.get<KubeObject>(resources.namespaces, { name }, { representation: 'metadata', signal });
  }
}

function unproven(error: unknown): Absence {
  if (!isApiError(error) || error.code === 'Aborted') throw error;
  return { kind: 'unproven', why: error.message };
}
