import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';

/** A primary object on both sides, and where it lives in kcp. */
export interface PrimaryPair {
  /** The original. */
  readonly kcp: UnstructuredObject;
  /** The copy. */
  readonly service: UnstructuredObject;
  /** The logical cluster. */
  readonly cluster: string;
  /** The path of the workspace, where paths are enabled. */
  readonly path: string | undefined;
}

/** Which objects are listed: `labelSelector` is in the form of the API, and `matches` says the same of labels. */
export interface Selected {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
}

/** Reads on the side that has the originals of an entry. What they reject with is passed on: not to know is not the same as that there is nothing. */
export interface RelatedReaders {
  /** Undefined only if there is no such object. */
  get(resource: Resource, key: ObjectKey): Promise<UnstructuredObject | undefined>;
  /** Whole objects, but of namespaces metadata will do; without a namespace, those of all namespaces. */
  list(resource: Resource, options: Selected): Promise<readonly UnstructuredObject[]>;
}
