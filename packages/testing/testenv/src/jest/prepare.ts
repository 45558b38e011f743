import { globSync } from 'node:fs';
import { locateBinaries } from '../binaries.js';
import { environment } from './environment.js';
import { type ControlPlaneHost, startHost } from './host.js';

/** The used part of jest's configuration. */
export interface RunConfig {
  readonly rootDir: string;
  readonly testPathPatterns?: { readonly patterns?: readonly string[] };
}

/**
 * Prepares a run for control planes, if one of its tests wants one: finds the binaries (or builds them, once, in
 * minutes), of `$HAWSER_KUBERNETES_VERSION` if set, and opens the host. Starts no control plane yet.
 */
export async function prepareRun(
  config: RunConfig,
  print: (line: string) => void,
): Promise<ControlPlaneHost | undefined> {
  // A watching jest prepares repeatedly in one process.
  for (const variable of Object.values(environment)) Reflect.deleteProperty(process.env, variable);
  if (!wantsControlPlanes(config)) {
    process.env[environment.unavailable] =
      'this run was prepared without control planes: no *.integration.test.ts matches';
    return undefined;
  }
  try {
    const version = process.env['HAWSER_KUBERNETES_VERSION'] ?? '';
    const binaries = await locateBinaries({
      print,
      controllerManager: true,
      ...(version === '' ? {} : { kubernetesVersion: version }),
    });
    process.env[environment.binaries] = JSON.stringify(binaries);
    const host = await startHost(binaries);
    process.env[environment.host] = host.socketPath;
    return host;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.env[environment.unavailable] = reason;
    print(`control planes are not available: ${reason}`);
    return undefined;
  }
}

/** Whether the command line selects an integration test. */
export function wantsControlPlanes(config: RunConfig): boolean {
  const patterns = config.testPathPatterns?.patterns ?? [];
  if (patterns.length === 0) return true;
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'iu'));
  return globSync('{packages/*/*,apps/*,simulation,tools}/src/**/*.integration.test.ts', { cwd: config.rootDir }).some(
    (file) => expressions.some((expression) => expression.test(`${config.rootDir}/${file}`)),
  );
}
