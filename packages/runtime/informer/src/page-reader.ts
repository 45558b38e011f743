import {
  type ApiError,
  type KubeList,
  type KubeObject,
  type ListOptions,
  type PageSize,
  type UnusableObject,
  isAnswerTooLong,
} from '@hawser/client';
import type { InformerSpec } from './informer.js';
import type { ReflectedList } from './reflected-cache.js';
import type { ReflectorOptions } from './reflector-options.js';

export interface PageReaderOptions extends Pick<ReflectorOptions, 'client' | 'spec' | 'observer'> {
  readonly signal: AbortSignal;
  /** Builds the error for an unusable object. */
  readonly malformed: (problem: string) => ApiError;
}

/** A page, and whether it skipped an object. */
export type Page = KubeList<KubeObject> & { readonly passedOver: boolean };

/** Reads pages of a list for a cache. */
export class PageReader {
  readonly #options: PageReaderOptions;

  constructor(options: PageReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads one page, with fewer objects until it fits. Skips an object that does not fit alone: the cache keeps its old
   * state, and its neighbours are read.
   * @throws ApiError
   */
  async read(size: PageSize | undefined, next: string | undefined, pass: ReflectedList): Promise<Page> {
    const { client, spec, signal, observer } = this.#options;
    const onUnusable = (found: UnusableObject): void => {
      this.#passOver(found, pass);
    };
    for (;;) {
      try {
        const page = await client.list<KubeObject>(spec.resource, {
          ...selectionOf(spec, signal),
          limit: size?.limit,
          maxBytes: size?.maxBytes,
          continue: next,
          onUnusable,
        });
        size?.fits();
        return { ...page, passedOver: false };
      } catch (error) {
        if (size === undefined || !isAnswerTooLong(error)) throw error;
        if (size.shrink()) continue;
        const { metadata, items } = await client.list<KubeObject>(spec.resource, {
          ...selectionOf(spec, signal),
          representation: 'metadata',
          limit: 1,
          continue: next,
          onUnusable,
        });
        for (const object of items) {
          pass.see(object);
          observer.onUnusable(object, error);
        }
        size.fits();
        return { metadata, items: [], passedOver: true };
      }
    }
  }

  /** Skips an unusable object; the cache keeps its old state. */
  #passOver({ object, problem }: UnusableObject, pass: ReflectedList): void {
    if (object === undefined) pass.seeNameless();
    else pass.see(object);
    this.#options.observer.onUnusable(object, this.#options.malformed(problem));
  }
}

/** The selection in a request of an informer. */
export function selectionOf(
  { namespace, labelSelector, fieldSelector, projection }: InformerSpec,
  signal: AbortSignal,
): ListOptions {
  return {
    namespace: nonEmpty(namespace),
    labelSelector: nonEmpty(labelSelector),
    fieldSelector: nonEmpty(fieldSelector),
    representation: projection,
    signal,
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
