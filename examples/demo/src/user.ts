import type { Resource } from '@hawser/client';
import type { DatabaseContent } from './names.js';

/** Somebody who works on a cluster, with kubectl or straight with its API. */
export interface User {
  apply(database: DatabaseContent): Deed;
  label(name: string, key: string, value: string): Deed;
  remove(name: string): Deed;
  look(view: View): Promise<Sight>;
}

/** Something that a user is about to do. */
export interface Deed {
  /** What is printed before. */
  readonly text: string;
  readonly carryOut: () => Promise<void>;
}

/** What a user wants to look at. */
export interface View {
  readonly resources: readonly Resource[];
  readonly namespace?: string;
  readonly labels?: boolean;
}

/** Tables, and above them how the user got them. */
export interface Sight {
  readonly title: string;
  readonly text: string;
}
