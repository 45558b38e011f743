import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';

/** Content rules, compiled: of `spec.mutation`, or of one related entry. They throw what a person is to read. */
export interface Mutations {
  /** The source object as it is wanted; `other` is the destination, or what it would be. Changes no argument. */
  spec(self: UnstructuredObject, other: UnstructuredObject): UnstructuredObject;
  /** The destination as its status is to be read. */
  status(self: UnstructuredObject, other: UnstructuredObject): UnstructuredObject;
}

/** Name and namespace of a local copy. Throws what a person is to read where the rules yield no legal name. */
export type Naming = (object: UnstructuredObject, cluster: string, path: string | undefined) => { readonly name: string; readonly namespace: string | undefined };

/** One side of a primary object: what related rules are resolved from. */
export interface PrimaryPair {
  readonly kcp: UnstructuredObject;
  readonly service: UnstructuredObject;
  readonly cluster: string;
  readonly path: string | undefined;
}

/** Reads on the origin side of a related entry. Rejects where nothing is known, which is not the same as nothing being there. */
export interface RelatedReaders {
  get(resource: Resource, key: ObjectKey): Promise<UnstructuredObject | undefined>;
  list(resource: Resource, options: { readonly namespace?: string | undefined; readonly labelSelector?: string | undefined }): Promise<readonly UnstructuredObject[]>;
}

/** A related object and where its copy belongs. */
export interface ResolvedPair {
  readonly origin: { readonly namespace?: string | undefined; readonly name: string; readonly object: UnstructuredObject };
  readonly destination: ObjectKey;
}

/** How changes of the related type find their primaries, beyond what each primary has looked at (`spec/api-syncagent.md §12.8`). */
export type RelatedWatch =
  | { readonly kind: 'byOwner' }
  | { readonly kind: 'bySelector'; readonly matches: (labels: Readonly<Record<string, string>>) => boolean };

/** One entry of `spec.related`, compiled. */
export interface RelatedRule {
  readonly identifier: string;
  /** Where the truth is. */
  readonly origin: 'kcp' | 'service';
  readonly resources: { readonly kcp: Resource; readonly service: Resource };
  readonly cleanup: boolean;
  readonly syncStatus: boolean;
  readonly watch: RelatedWatch | undefined;
  readonly mutations: Mutations | undefined;
  /** Sorted by `namespace/name` of the origin. */
  resolve(primary: PrimaryPair, readers: RelatedReaders): Promise<readonly ResolvedPair[]>;
}

/** What a PublishedResource says about its objects, compiled once. */
export interface Rules {
  readonly naming: Naming;
  readonly mutations: Mutations | undefined;
  readonly related: readonly RelatedRule[];
  /** Whether an object with these labels, in a namespace with those, is to be synced. */
  readonly filter: {
    readonly resource: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
    readonly namespace: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
  };
  /** Objects wait for the path of their workspace. */
  readonly workspacePaths: boolean;
}
