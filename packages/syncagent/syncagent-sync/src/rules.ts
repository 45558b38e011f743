import type { UnstructuredObject } from '@hawser/client';
import type { Mutations } from './mutation/index.js';
import type { RelatedRule } from './related/index.js';

export type { Mutations } from './mutation/index.js';
export type { PrimaryPair, RelatedReaders, RelatedRule, ResolvedPair } from './related/index.js';

/** Name and namespace of a local copy. Throws what a person is to read where the rules yield no legal name. */
export type Naming = (
  object: UnstructuredObject,
  cluster: string,
  path: string | undefined,
) => { readonly name: string; readonly namespace: string | undefined };

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
