import type { InformerHandle } from '@hawser/informer';
import type { APIServiceExportRequest } from '@hawser/kube-bind';

/** Watches the export requests only while some binding has no export: they give the reason. */
export class ExportRequests {
  readonly #acquire: () => InformerHandle<APIServiceExportRequest>;
  readonly #changed: (name: string) => void;
  readonly #waiting = new Set<string>();
  #informer: InformerHandle<APIServiceExportRequest> | undefined;

  constructor(acquire: () => InformerHandle<APIServiceExportRequest>, changed: (name: string) => void) {
    this.#acquire = acquire;
    this.#changed = changed;
  }

  /** Undefined: not watched. */
  get informer(): InformerHandle<APIServiceExportRequest> | undefined {
    return this.#informer;
  }

  want(binding: string): void {
    this.#waiting.add(binding);
    if (this.#informer !== undefined) return;
    this.#informer = this.#acquire();
    this.#informer.addHandler({
      onAdd: ({ metadata }) => {
        this.#changed(metadata.name);
      },
      onUpdate: (_, { metadata }) => {
        this.#changed(metadata.name);
      },
      onDelete: ({ metadata }) => {
        this.#changed(metadata.name);
      },
    });
  }

  forget(binding: string): void {
    if (this.#waiting.delete(binding) && this.#waiting.size === 0) this.close();
  }

  close(): void {
    this.#waiting.clear();
    this.#informer?.release();
    this.#informer = undefined;
  }
}
