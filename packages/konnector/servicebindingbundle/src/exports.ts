import { type ApiError, type Client, isApiError, listAll } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { InformerHandle } from '@hawser/informer';
import { deniedError } from '@hawser/konnector-connection';
import { type APIServiceExport, resources } from '@hawser/kube-bind';
import type { ExportsReading } from './observed.js';

export interface ExportsOptions {
  readonly provider: Client;
  readonly clusterNamespace: string;
  readonly informer: InformerHandle<APIServiceExport>;
  readonly clock: Clock;
}

/** While it opens, a refused watch looks like a working one. */
const OPENED_AFTER_MS = 10_000;
/** A short outage of the provider is not reported. */
const PATIENCE = 3;

/** The exports of one provider: watched, or listed where the provider permits list but not watch. */
export class Exports {
  readonly #options: ExportsOptions;
  #denied: ApiError | undefined;
  #watchingSince: number | undefined;

  constructor(options: ExportsOptions) {
    this.#options = options;
    this.stateChanged();
  }

  /** Must be called after each change of the informer's state. */
  stateChanged(): void {
    const { informer, clock } = this.#options;
    const denied = deniedError(informer);
    if (denied !== undefined) this.#denied = denied;
    this.#watchingSince = informer.state.phase === 'watching' ? (this.#watchingSince ?? clock.monotonic()) : undefined;
  }

  /** Whether exports are polled because the provider refuses the watch. */
  get polled(): boolean {
    if (this.#watchingSince !== undefined && this.#options.clock.monotonic() - this.#watchingSince >= OPENED_AFTER_MS)
      this.#denied = undefined;
    return this.#denied !== undefined;
  }

  async read(signal: AbortSignal): Promise<ExportsReading> {
    const { informer } = this.#options;
    if (this.polled) return this.#list(signal);
    const { state } = informer;
    if (state.phase === 'waiting' && state.failures >= PATIENCE)
      return { kind: 'unreadable', error: state.error.message };
    return known(informer.list());
  }

  async #list(signal: AbortSignal): Promise<ExportsReading> {
    const { provider, clusterNamespace: namespace } = this.#options;
    try {
      return known(
        await listAll<APIServiceExport>(provider, resources.apiServiceExports, {
          namespace,
          representation: 'metadata',
          signal,
        }),
      );
    } catch (error) {
      if (!isApiError(error) || error.code === 'Aborted') throw error;
      return { kind: 'unreadable', error: error.message };
    }
  }
}

function known(exports: readonly APIServiceExport[]): ExportsReading {
  return {
    kind: 'known',
    exports: exports.map(({ metadata }) => ({
      name: metadata.name,
      terminating: metadata.deletionTimestamp !== undefined,
    })),
  };
}
