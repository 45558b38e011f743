import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, defaultKubernetesVersion } from './platform.js';
import { runCommand } from './run-command.js';
import { TestenvError } from './testenv-error.js';

/**
 * Go modules of this package, by the Kubernetes version that their go.mod and go.sum pin. The default version's module
 * pins etcd too.
 */
export const goModules: Readonly<Record<string, string>> = {
  '1.36.3': moduleFolder('kubernetes-1.36'),
  '1.33.13': moduleFolder('kubernetes-1.33'),
};

function moduleFolder(name: string): string {
  return fileURLToPath(new URL(`../controlplane/${name}`, import.meta.url));
}

/** All Kubernetes versions share one etcd. */
function moduleOf(program: Program, kubernetesVersion: string): string | undefined {
  return goModules[program === 'etcd' ? defaultKubernetesVersion : kubernetesVersion];
}

function neededModuleOf(program: Program, kubernetesVersion: string): string {
  const folder = moduleOf(program, kubernetesVersion);
  if (folder === undefined)
    throw new TestenvError(
      'binaries-unavailable',
      `there are no sources of ${program} for Kubernetes ${kubernetesVersion}`,
    );
  return folder;
}

const packages: Readonly<Record<Program, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
};

/** Whether a module pins `program` of that Kubernetes version. */
export function canBuild(program: Program, kubernetesVersion: string): boolean {
  return moduleOf(program, kubernetesVersion) !== undefined;
}

export interface Build {
  readonly wanted: readonly Program[];
  readonly kubernetesVersion: string;
  /** Output folder of the programs. */
  readonly folder: string;
  readonly print: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Builds `wanted` from source into `folder`. Takes minutes the first time; prints progress.
 * @throws TestenvError `binaries-unavailable` for a version that {@link canBuild} denies, `command-failed` if Go is
 * missing, or cannot fetch or build.
 */
export async function buildPrograms({ wanted, kubernetesVersion, folder, print, env }: Build): Promise<void> {
  const version = (await runCommand('go', ['version'], { env, cwd: neededModuleOf('etcd', kubernetesVersion) })).trim();
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    for (const program of wanted) {
      print(`building ${program} from Go modules with ${version} (once; minutes)`);
      const progress = startProgress(program, print);
      try {
        await runCommand(
          'go',
          [
            'build',
            '-v',
            '-buildvcs=false',
            '-trimpath',
            '-mod=readonly',
            '-ldflags',
            linkerFlags(program, kubernetesVersion),
            '-o',
            join(work, program),
            packages[program],
          ],
          {
            cwd: neededModuleOf(program, kubernetesVersion),
            env: { ...env, CGO_ENABLED: '0', GOFLAGS: '' },
            onErrorLine: progress.line,
          },
        );
      } finally {
        progress.stop();
      }
      await chmod(join(work, program), 0o755);
      await rename(join(work, program), join(folder, program));
      print(`built ${program} in ${progress.seconds()} s`);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Kubernetes programs get their version from the linker; clients that check it refuse a server of v0.0.0. */
function linkerFlags(program: Program, kubernetesVersion: string): string {
  if (program === 'etcd') return '-s -w';
  const [major = '', minor = ''] = kubernetesVersion.split('.');
  const values: Record<string, string> = {
    gitVersion: `v${kubernetesVersion}`,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: '0'.repeat(40),
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
  };
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((variable) =>
    Object.entries(values).map(([name, value]) => `-X ${variable}.${name}=${value}`),
  );
  return ['-s', '-w', ...settings].join(' ');
}

const progressIntervalMs = 10_000;

/**
 * Prints every ten seconds how far `go build -v` is. On a timer: the compiler is silent for a minute and more while it
 * links.
 */
function startProgress(
  program: Program,
  print: (line: string) => void,
): { readonly line: (line: string) => void; readonly seconds: () => string; readonly stop: () => void } {
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
  let downloaded = 0;
  let compiled = 0;
  const timer = setInterval(() => {
    print(`building ${program}: ${downloaded} modules downloaded, ${compiled} packages compiled after ${seconds()} s`);
  }, progressIntervalMs);
  return {
    line(line) {
      if (line.startsWith('go: downloading ')) downloaded++;
      else if (!line.startsWith('go: ')) compiled++;
    },
    seconds,
    stop: () => {
      clearInterval(timer);
    },
  };
}
