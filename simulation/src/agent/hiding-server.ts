import type { ApiRequest } from '@hawser/apiserver';
import type { AnswerSink } from '../sim-cluster.js';
import type { SimServer } from '../sim-server.js';

interface Item {
  readonly metadata: { readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>> };
}

export interface HidingServerOptions {
  readonly inner: SimServer & { restart(downMs: number): void; compact(): void };
  /** Paths of lists that may be incomplete; no live search is among them. */
  readonly lists: RegExp;
  /** Writes any object: forgotten versions are then older than the newest version. */
  readonly touch: (times: number) => void;
  /** The logical cluster of an item. */
  readonly clusterOf: (item: Item) => string | undefined;
}

/** A server with lists that lack the objects of some logical clusters for a while. */
export class HidingServer implements SimServer {
  readonly name: string;
  readonly #options: HidingServerOptions;
  readonly #hidden = new Set<string>();
  #touched = 0;

  constructor(options: HidingServerOptions) {
    this.#options = options;
    this.name = options.inner.name;
  }

  get up(): boolean {
    return this.#options.inner.up;
  }

  date(): string {
    return this.#options.inner.date();
  }

  hide(cluster: string): void {
    this.#hidden.add(cluster);
    this.#listAgain();
  }

  show(cluster: string): void {
    this.#hidden.delete(cluster);
    this.#listAgain();
  }

  serve(request: ApiRequest, onBreak: () => void, sink: AnswerSink): () => void {
    const { inner, lists } = this.#options;
    const isMeant = this.#hidden.size > 0 && lists.test(request.path) && !request.path.includes('watch=true');
    return inner.serve(request, onBreak, isMeant ? this.#without(sink) : sink);
  }

  /** Makes watchers list again. */
  #listAgain(): void {
    const { inner, touch } = this.#options;
    touch(++this.#touched);
    inner.compact();
    inner.restart(1);
  }

  #without(sink: AnswerSink): AnswerSink {
    let text = '';
    return {
      head: (status, headers) => {
        const rest = Object.entries(headers).filter(([name]) => name !== 'content-length');
        sink.head(status, Object.fromEntries(rest));
      },
      data: (chunk) => {
        text += chunk;
      },
      end: () => {
        const list = JSON.parse(text) as { readonly items?: readonly Item[] };
        const items = list.items?.filter((item) => !this.#hidden.has(this.#options.clusterOf(item) ?? ''));
        sink.data(JSON.stringify(items === undefined ? list : { ...list, items }));
        sink.end();
      },
    };
  }
}
