import type { Finding, Standing } from '@hawser/preview';

import type { Workspace } from './request-target.js';
import type { RehearsedWrite } from './rehearsal.js';

/** How one object of a PublishedResource stands. */
export interface ObjectReport {
  readonly publishedResource: string;
  /** Kind in kcp. */
  readonly kind: string;
  readonly workspace: Workspace;
  /** `namespace/name`, or `name`. */
  readonly object: string;
  readonly standing: Standing;
  /** Place of its copy, now or later; `namespace/name`, or `name`. */
  readonly copy?: string | undefined;
  /** Why it is not in step. */
  readonly finding?: Finding | undefined;
  /** Includes the writes to its related objects. */
  readonly writes: readonly RehearsedWrite[];
}

/** Names by which people call a resource. */
export interface ResourceNames {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

export interface PublicationReport {
  /** Name of the PublishedResource. */
  readonly name: string;
  readonly phase: string | undefined;
  readonly schema: string | undefined;
  readonly standing: Standing;
  readonly findings: readonly Finding[];
  /** Names on both sides, as far as known. */
  readonly names: readonly ResourceNames[];
  /** Scope in kcp; undefined: not known. */
  readonly namespaced?: boolean | undefined;
  /** All that the filter selects, and copies without an object. */
  readonly objects: readonly ObjectReport[];
}

/** What one agent would do now. */
export interface AgentReport {
  readonly agent: string;
  readonly export: { readonly name: string; readonly workspace: Workspace };
  readonly standing: Standing;
  /** Findings on the agent as a whole: what it cannot read, and whether it runs. */
  readonly findings: readonly Finding[];
  readonly publications: readonly PublicationReport[];
  readonly workspaces: readonly Workspace[];
  /** Writes in the order of the agent: schemas, export and status, and those of objects. */
  readonly writes: readonly RehearsedWrite[];
}
