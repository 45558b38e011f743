import { type Client, type KubeObject, getIfExists, isApiError } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import type { Absence } from './observed.js';

export interface ProverOptions {
  readonly provider: Client;
  readonly clusterNamespace: string;
}

/** Finds out, by live reads alone, whether an export was deleted. */
export class Prover {
  readonly #options: ProverOptions;
  /** Of the cluster namespace in which exports were seen. */
  #uid: string | undefined;

  constructor(options: ProverOptions) {
    this.#options = options;
  }

  /** Remembers which namespace it is that has exports: one that is made anew under the same name proves nothing about the old one. Best effort. */
  async pin(signal: AbortSignal): Promise<void> {
    if (this.#uid !== undefined) return;
    try {
      this.#uid = (await this.#readNamespace(signal)).metadata.uid;
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
    }
  }

  /** The namespace is read after the export: what stands then stood before. `expected`: the uid that it is known to have, if any. */
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
