import type { ApiError } from '@hawser/client';
import { type APIServiceBinding, resources } from '@hawser/kube-bind';
import { list, reading } from '@hawser/preview';

import { type BindingView, viewBinding } from './binding-view.js';
import type { ExplainContext } from './context.js';
import type { ExplainOptions } from './explain.js';

/** The bindings of a consumer, read live. */
export type Viewed =
  | {
      readonly kind: 'viewed';
      /** All bindings of the cluster. */
      readonly all: readonly APIServiceBinding[];
      /** Requested bindings. */
      readonly views: readonly BindingView[];
      /** Context of the reads; nothing is written with it. */
      readonly context: ExplainContext;
    }
  /** The consumer does not know bindings. */
  | { readonly kind: 'notServed'; readonly error: ApiError };

/** Reads the bindings, or the named one, with all that belongs to each. @throws ApiError if they cannot be listed */
export async function viewBindings(
  given: ExplainContext,
  { binding: name, kinds, dryRun }: Pick<ExplainOptions, 'binding' | 'kinds' | 'dryRun'>,
): Promise<Viewed> {
  const context: ExplainContext = {
    ...given,
    consumer: reading(given.consumer),
    connect: (config) => reading(given.connect(config)),
    now: () => given.now(),
  };
  if (context.coreKbind === 'only' || kinds?.includes('APIServiceBinding') === false)
    return { kind: 'viewed', all: [], views: [], context };
  const bindings = await list<APIServiceBinding>(context.consumer, resources.apiServiceBindings, {
    signal: context.signal,
  });
  if (bindings.kind === 'failed') {
    if (bindings.error.code === 'NotFound') return { kind: 'notServed', error: bindings.error };
    throw bindings.error;
  }
  const views: BindingView[] = [];
  for (const one of bindings.items)
    if (name === undefined || name === one.metadata.name)
      views.push(await viewBinding(context, one, bindings.items, { dryRun }));
  return { kind: 'viewed', all: bindings.items, views, context };
}
