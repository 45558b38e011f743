import type { KubeObject } from '@hawser/client';
import type { Scope } from '@hawser/controller';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import { deniedError } from '@hawser/konnector-connection';
import { resources } from '@hawser/kube-bind';
import type { NamespaceReading } from './observed.js';

export interface NamespaceWatchOptions {
  /** Of the consumer. */
  readonly informers: SharedInformers;
  readonly scope: Pick<Scope, 'informer' | 'signal'>;
  /** Told of a namespace that is there, or comes. */
  readonly came: (name: string) => void;
  /** Told of a namespace that is gone. */
  readonly went: (name: string) => void;
  /** Told when each namespace may be read otherwise. */
  readonly changed: () => void;
}

/** The namespaces of the consumer, without their contents, watched from {@link open} on. */
export class NamespaceWatch {
  readonly #options: NamespaceWatchOptions;
  #informer: InformerHandle<KubeObject> | undefined;

  constructor(options: NamespaceWatchOptions) {
    this.#options = options;
  }

  /** Idempotent. */
  open(): void {
    if (this.#informer !== undefined) return;
    const { informers, scope, came, went, changed } = this.#options;
    const informer = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.namespaces, projection: 'metadata' }),
    );
    // Where another connection watches namespaces already, the handler is told at once, and looks for the watch.
    this.#informer = informer;
    // What happens to a namespace while it is there is nothing to us.
    informer.addHandler({
      onAdd: ({ metadata }) => {
        came(metadata.name);
      },
      onDelete: ({ metadata }) => {
        went(metadata.name);
      },
    });
    informer.onStateChange(() => {
      if (!informer.hasSynced) changed();
    });
    void informer.synced(scope.signal).then(changed, () => undefined);
  }

  list(): readonly KubeObject[] {
    return this.#informer?.list() ?? [];
  }

  read(name: string): NamespaceReading {
    if (this.#informer === undefined) return { kind: 'unknown' };
    if (this.#informer.hasSynced) return { kind: this.#informer.get(name) === undefined ? 'missing' : 'present' };
    const denied = deniedError(this.#informer);
    return denied === undefined ? { kind: 'unknown' } : { kind: 'denied', error: denied.message };
  }
}
