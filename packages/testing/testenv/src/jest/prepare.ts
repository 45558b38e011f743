import { globSync } from 'node:fs';
import { locateBinaries } from '../binaries.js';
import { environment } from './environment.js';
import { type ControlPlaneHost, startHost } from './host.js';

/** What of jest's configuration is read here. */
export interface RunConfig {
  readonly rootDir: string;
  readonly testPathPatterns?: { readonly patterns?: readonly string[] };
}

/**
 * Makes a run ready for control planes, if it has tests that want some: finds the binaries (or builds them, which takes minutes once),
 * of `$HAWSER_KUBERNETES_VERSION` if that is set, and opens the host. Nothing is started yet.
 */
export async function prepareRun(
  config: RunConfig,
  print: (line: string) => void,
): Promise<ControlPlaneHost | undefined> {
  // A watching jest prepares again and again in one process.
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

/** Whether an integration test is among those that the command line selects. */
export function wantsControlPlanes(config: RunConfig): boolean {
  const patterns = config.testPathPatterns?.patterns ?? [];
  if (patterns.length === 0) return true;
  const expressions = patterns.map((pattern) => new RegExp(pattern, 'iu'));
  return globSync('{packages/*/*,apps/*,simulation,tools}/src/**/*.integration.test.ts', { cwd: config.rootDir }).some(
    (file) => expressions.some((expression) => expression.test(`${config.rootDir}/${file}`)),
  );
}
