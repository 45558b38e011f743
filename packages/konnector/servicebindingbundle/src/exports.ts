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

/** A watch that is refused looks like one that works while it is being opened. */
const OPENED_AFTER_MS = 10_000;
/** A provider that is away for a moment is not worth a word. */
const PATIENCE = 3;

/** The exports of one provider: watched; where the provider lets us list but not watch, listed. */
export class Exports {
  readonly #options: ExportsOptions;
  #denied: ApiError | undefined;
  #watchingSince: number | undefined;

  constructor(options: ExportsOptions) {
    this.#options = options;
    this.stateChanged();
  }

  /** To be called whenever the informer's state has changed. */
  stateChanged(): void {
    const { informer, clock } = this.#options;
    const denied = deniedError(informer);
    if (denied !== undefined) this.#denied = denied;
    this.#watchingSince = informer.state.phase === 'watching' ? (this.#watchingSince ?? clock.monotonic()) : undefined;
  }

  /** Whether they have to be listed, again and again, since the provider refuses to have them watched. */
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
