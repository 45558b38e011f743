import type { ControlPlaneBinaries } from '../binaries.js';
import type { ControlPlaneOptions } from '../control-plane.js';
import { plainVersion } from '../platform.js';
import { environment } from './environment.js';

/** Binaries that the setup of this jest run found, if they match `options`. */
export function binariesOfRun(options: ControlPlaneOptions): ControlPlaneBinaries | undefined {
  const found = process.env[environment.binaries];
  if (found === undefined) return undefined;
  const binaries = JSON.parse(found) as ControlPlaneBinaries;
  return options.kubernetesVersion === undefined ||
    plainVersion(options.kubernetesVersion) === binaries.kubernetesVersion
    ? binaries
    : undefined;
}
