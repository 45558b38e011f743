import { connect } from 'node:net';
import type { SharedControlPlane } from '../control-plane.js';
import type { ControlPlaneDescription } from '../layout.js';
import { hasMinor } from '../platform.js';
import { openControlPlane } from '../shared-control-plane.js';
import { TestenvError } from '../testenv-error.js';
import { binariesOfRun } from './binaries-of-run.js';
import { type HostAnswer, type SharedName, environment } from './environment.js';

/**
 * A control plane that the whole jest run shares, by name: started on first request, stopped after the run. Use your
 * own namespace or API group in it ({@link uniqueNamespace}, {@link uniqueGroup}) and leave the rest alone.
 * @throws TestenvError `not-shared` outside such a run, `start-failed` if it does not start.
 */
export async function sharedControlPlane(name: SharedName): Promise<SharedControlPlane> {
  const socketPath = process.env[environment.host];
  if (socketPath === undefined)
    throw new TestenvError(
      'not-shared',
      process.env[environment.unavailable] ?? 'this is no jest run with the global setup of @hawser/testenv',
    );
  const reply = JSON.parse(await ask(socketPath, name)) as HostAnswer<ControlPlaneDescription>;
  if ('error' in reply) throw new TestenvError('start-failed', reply.error);
  return openControlPlane(reply.description);
}

function ask(socketPath: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(socketPath, () => socket.write(`${line}\n`));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('end', () => {
      resolve(text);
    });
  });
}

/** A name for a namespace (or any object), unique to this suite. Does not create it. */
export function uniqueNamespace(prefix = 'test'): string {
  return `${prefix}-${uniqueSuffix()}`;
}

/** An API group unique to this suite, for its own CRDs. */
export function uniqueGroup(prefix = 'test'): string {
  return `${prefix}-${uniqueSuffix()}.example.com`;
}

function uniqueSuffix(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 10);
}

export interface SuiteOptions {
  /** The suite starts control planes with `controllerManager: true`. */
  readonly controllerManager?: boolean;
}

type Describe = ((title: string, fn: () => void) => void) & { readonly skip: (title: string, fn: () => void) => void };

/**
 * `describe` for suites that need real control planes. Without binaries the suite is skipped, its tests count as
 * skipped, and the reason is printed.
 */
export function describeWithControlPlane(title: string, fn: () => void, options: SuiteOptions = {}): void {
  const { describe } = globalThis as unknown as { describe: Describe };
  const reason = unavailableReason(options);
  if (reason === undefined) {
    describe(title, fn);
    return;
  }
  process.stderr.write(`skipped: ${title}: ${reason}\n`);
  describe.skip(title, fn);
}

type It = ((title: string, fn: () => Promise<void>, timeoutMs?: number) => void) & {
  readonly skip: (title: string, fn: () => Promise<void>) => void;
};

/**
 * `it` for features that the API server has since a minor version, say `1.34`. On an older one the test is skipped,
 * counts as skipped, and the reason is printed.
 */
export function itFromKubernetes(minor: string, title: string, fn: () => Promise<void>, timeoutMs?: number): void {
  const { it } = globalThis as unknown as { it: It };
  const version = binariesOfRun({})?.kubernetesVersion;
  if (version === undefined || hasMinor(version, minor)) {
    it(title, fn, timeoutMs);
    return;
  }
  process.stderr.write(`skipped: ${title}: needs Kubernetes ${minor}, this is ${version}\n`);
  it.skip(title, fn);
}

function unavailableReason(options: SuiteOptions): string | undefined {
  const binaries = binariesOfRun({});
  if (binaries === undefined)
    return process.env[environment.unavailable] ?? 'this is no jest run with the global setup of @hawser/testenv';
  if (options.controllerManager === true && binaries.paths['kube-controller-manager'] === undefined)
    return 'kube-controller-manager was not found';
  return undefined;
}
