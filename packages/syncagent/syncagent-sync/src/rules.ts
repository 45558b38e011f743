import type { Mutations } from './mutation/index.js';
import type { Naming } from './naming/index.js';
import type { RelatedRule } from './related/index.js';

export type { Naming } from './naming/index.js';
export type { Mutations } from './mutation/index.js';
export type { PrimaryPair, RelatedReaders, RelatedRule, ResolvedPair } from './related/index.js';

/** The compiled rules of a PublishedResource about its objects. */
export interface Rules {
  readonly naming: Naming;
  readonly mutations: Mutations | undefined;
  readonly related: readonly RelatedRule[];
  /** Whether to sync an object with these labels, in a namespace with those. */
  readonly filter: {
    readonly resource: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
    readonly namespace: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
  };
  /** Objects wait for the path of their workspace. */
  readonly workspacePaths: boolean;
}
