import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';

/** A primary object on both sides, and its place in kcp. */
export interface PrimaryPair {
  /** The original. */
  readonly kcp: UnstructuredObject;
  /** The copy. */
  readonly service: UnstructuredObject;
  /** The logical cluster. */
  readonly cluster: string;
  /** The path of the workspace, if paths are enabled. */
  readonly path: string | undefined;
}

/** Selects the objects to list: `labelSelector` is in the form of the API, and `matches` tests the same on labels. */
export interface Selected {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
}

/** Reads on the side of an entry's originals. Passes rejections on: an unknown object is not a missing one. */
export interface RelatedReaders {
  /** Undefined only if there is no such object. */
  get(resource: Resource, key: ObjectKey): Promise<UnstructuredObject | undefined>;
  /** Returns whole objects, of namespaces metadata suffices; without a namespace, those of all namespaces. */
  list(resource: Resource, options: Selected): Promise<readonly UnstructuredObject[]>;
}
