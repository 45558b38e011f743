import type { Client } from '@hawser/client';
import { installCRDs as install, type InstallOptions as Options, type InstallOutcome } from '@hawser/crd';
import { apiGroup } from '../group.js';
import { crds } from './crds.js';

export type InstallOptions = Omit<Options, 'group'>;

/** `installCRDs` of `@hawser/crd`, for {@link crds}: adds what the Go agent's CRD lacks. */
export function installCRDs(client: Client, options: InstallOptions): Promise<ReadonlyMap<string, InstallOutcome>> {
  return install(client, crds, { ...options, group: apiGroup });
}
