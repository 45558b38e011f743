import type { Client } from '@hawser/client';
import {
  type CustomResourceDefinition,
  installCRDs as install,
  type InstallOptions as Options,
  type InstallOutcome,
} from '@hawser/crd';
import { apiGroup } from '../group.js';

export type InstallOptions = Omit<Options, 'group'>;

/** `installCRDs` of `@hawser/crd`, for CRDs of this group only. */
export function installCRDs(
  client: Client,
  crds: readonly CustomResourceDefinition[],
  options: InstallOptions,
): Promise<ReadonlyMap<string, InstallOutcome>> {
  return install(client, crds, { ...options, group: apiGroup });
}
