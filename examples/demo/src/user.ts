import type { Resource } from '@hawser/client';
import type { DatabaseContent } from './names.js';

/** A user of a cluster, with kubectl or directly with its API. */
export interface User {
  apply(database: DatabaseContent): Deed;
  label(name: string, key: string, value: string): Deed;
  remove(name: string): Deed;
  look(view: View): Promise<Sight>;
}

/** An action that a user is about to take. */
export interface Deed {
  /** Printed before it. */
  readonly text: string;
  readonly carryOut: () => Promise<void>;
}

/** What a user wants to see. */
export interface View {
  readonly resources: readonly Resource[];
  readonly namespace?: string;
  readonly labels?: boolean;
}

/** Tables, and above them the command that gives them. */
export interface Sight {
  readonly title: string;
  readonly text: string;
}
