import type { Client } from '@hawser/client';
import {
  crdFromDefinition,
  type CustomResourceDefinition,
  installCRDs as install,
  type InstallOptions as Options,
  type InstallOutcome,
} from '@hawser/crd';
import { apiGroup } from './group.js';
import { kinds } from './kinds/all-kinds.js';

/** The CRDs of `core.kbind.io`. They belong on the consumer; a provider needs none (spec/kbind-v2.md §1). */
export const crds: readonly CustomResourceDefinition[] = Object.values(kinds).map((kind) =>
  crdFromDefinition(apiGroup, kind),
);

export type InstallOptions = Omit<Options, 'group'>;

/** Installs these CRDs through `installCRDs` of `@hawser/crd`: only adds, and writes nothing to a complete CRD. */
export function installCRDs(client: Client, options: InstallOptions): Promise<ReadonlyMap<string, InstallOutcome>> {
  return install(client, crds, { ...options, group: apiGroup });
}
