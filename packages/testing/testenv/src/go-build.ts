import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, defaultKubernetesVersion } from './platform.js';
import { runCommand } from './run-command.js';

/** The Go module of this package whose go.mod and go.sum pin the sources. */
const moduleFolder = fileURLToPath(new URL('../controlplane', import.meta.url));

const packages: Readonly<Record<Program, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
};

/** Whether `program` can be built for that Kubernetes version: the module pins one version of Kubernetes; etcd is the same for all. */
export function canBuild(program: Program, kubernetesVersion: string): boolean {
  return program === 'etcd' || kubernetesVersion === defaultKubernetesVersion;
}

/**
 * Builds `wanted` from source into `folder`. Takes minutes the first time; progress is printed.
 * @throws TestenvError `command-failed` when there is no Go, or it cannot fetch or build.
 */
export async function buildPrograms(wanted: readonly Program[], folder: string, print: (line: string) => void, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const version = (await runCommand('go', ['version'], { env, cwd: moduleFolder })).trim();
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    for (const program of wanted) {
      const started = performance.now();
      let compiled = 0;
      let announced = started;
      print(`building ${program} from Go modules with ${version} (once; minutes)`);
      await runCommand('go', ['build', '-v', '-buildvcs=false', '-trimpath', '-mod=readonly', '-ldflags', linkerFlags(program), '-o', join(work, program), packages[program]], {
        cwd: moduleFolder,
        env: { ...env, CGO_ENABLED: '0', GOFLAGS: '' },
        onErrorLine: (line) => {
          if (!line.startsWith('go: ')) compiled++;
          const now = performance.now();
          if (now - announced < 10_000) return;
          announced = now;
          print(`building ${program}: ${compiled} packages compiled after ${seconds(now - started)} s`);
        },
      });
      await chmod(join(work, program), 0o755);
      await rename(join(work, program), join(folder, program));
      print(`built ${program} in ${seconds(performance.now() - started)} s`);
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Kubernetes programs know their own version only when the linker tells them; a server that says v0.0.0 is refused by clients that ask. */
function linkerFlags(program: Program): string {
  if (program === 'etcd') return '-s -w';
  const [major = '', minor = ''] = defaultKubernetesVersion.split('.');
  const values: Record<string, string> = {
    gitVersion: `v${defaultKubernetesVersion}`,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: '0'.repeat(40),
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
  };
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((variable) => Object.entries(values).map(([name, value]) => `-X ${variable}.${name}=${value}`));
  return ['-s', '-w', ...settings].join(' ');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(0);
}
