import { type Archive, knownArchives } from './archives.js';
import { binariesFolder, programsIn } from './cache-folder.js';
import { installArchive } from './download.js';
import { buildPrograms, canBuild, goModules } from './go-build.js';
import { withInstallLock } from './install-lock.js';
import { type Program, type ProgramPaths, defaultKubernetesVersion, plainVersion, platformName } from './platform.js';
import { runCommand } from './run-command.js';
import { TestenvError } from './testenv-error.js';

/** The programs of a control plane and their origin. */
export interface ControlPlaneBinaries {
  /** The API server's own version, for example `1.36.3`. */
  readonly kubernetesVersion: string;
  /** Absolute paths. `kube-controller-manager` may be missing. */
  readonly paths: ProgramPaths;
  /** The answer of each source, in the order tried. */
  readonly tried: readonly string[];
}

export interface LocateOptions {
  /** Default: the version that this package targets. */
  readonly kubernetesVersion?: string;
  /** Also look for kube-controller-manager. If only it is missing, the rest is still the answer. Default false. */
  readonly controllerManager?: boolean;
  /** Progress and the answer of each source, line by line. Default: nothing is printed. */
  readonly print?: (line: string) => void;
  /** Only look, do not download or build. Default false. */
  readonly quick?: boolean;
  /** Default: ours. */
  readonly env?: NodeJS.ProcessEnv;
  /** Archives to download. Default: official releases with known checksums. */
  readonly archives?: readonly Archive[];
}

const required: readonly Program[] = ['etcd', 'kube-apiserver', 'kubectl'];

/**
 * Finds the programs of a control plane. Asks the sources in this order for what is still missing: the folder
 * `KUBEBUILDER_ASSETS`; the cache; the official release, if its checksum is known; a build from Go modules. Puts
 * downloads and builds into the cache.
 * @throws TestenvError `binaries-unavailable` with the answer of every source.
 */
export async function locateBinaries(options: LocateOptions = {}): Promise<ControlPlaneBinaries> {
  const env = options.env ?? process.env;
  const version = plainVersion(options.kubernetesVersion ?? defaultKubernetesVersion);
  const wanted: readonly Program[] =
    options.controllerManager === true ? [...required, 'kube-controller-manager'] : required;
  const found: Partial<Record<Program, string>> = {};
  const tried: string[] = [];
  const print =
    options.print ??
    (() => {
      /* silent */
    });
  const note = (source: string, answer: string): void => {
    tried.push(`${source}: ${answer}`);
    print(`${source}: ${answer}`);
  };
  const missing = (): Program[] => wanted.filter((program) => found[program] === undefined);
  const take = (paths: ProgramPaths): Program[] => {
    const taken = missing().filter((program) => paths[program] !== undefined);
    Object.assign(found, Object.fromEntries(taken.map((program) => [program, paths[program]])));
    return taken;
  };

  const assets = env['KUBEBUILDER_ASSETS'];
  if (assets === undefined || assets === '') note('KUBEBUILDER_ASSETS', 'not set');
  else note('KUBEBUILDER_ASSETS', `${assets}: ${await takeAssets(assets, options.kubernetesVersion, take)}`);

  const folder = binariesFolder(version, env);
  if (missing().length > 0) note('cache', `${folder}: ${listed(take(programsIn(folder)))}`);

  if (missing().length > 0 && options.quick !== true) {
    const install = withInstallLock(folder, print, async () => {
      // The previous holder of the lock may have installed what is missing.
      take(programsIn(folder));
      if (missing().length > 0)
        await downloadInto(
          folder,
          version,
          options.archives ?? knownArchives(version, platformName()),
          missing(),
          print,
          note,
        );
      take(programsIn(folder));
      if (missing().length > 0) await buildInto(folder, version, missing(), print, note, env);
      take(programsIn(folder));
    });
    await install.catch((error: unknown) => {
      note('cache', `cannot install: ${messageOf(error)}`);
    });
  }

  const lacking = missing().filter((program) => required.includes(program));
  if (lacking.length > 0)
    throw new TestenvError(
      'binaries-unavailable',
      `no ${lacking.join(', ')} for Kubernetes ${version}; tried ${tried.join('; ')}`,
    );
  return { kubernetesVersion: (await versionOf(found['kube-apiserver'])) ?? version, paths: found, tried };
}

/** A folder that the user names may hold any version: it is used unless a version was requested by number. */
async function takeAssets(
  folder: string,
  asked: string | undefined,
  take: (paths: ProgramPaths) => Program[],
): Promise<string> {
  const paths = programsIn(folder);
  const version = await versionOf(paths['kube-apiserver']);
  if (asked !== undefined && version !== undefined && version !== plainVersion(asked))
    return `has Kubernetes ${version}, not ${plainVersion(asked)}`;
  return listed(take(paths));
}

type Note = (source: string, answer: string) => void;

async function downloadInto(
  folder: string,
  version: string,
  archives: readonly Archive[],
  missing: readonly Program[],
  print: (line: string) => void,
  note: Note,
): Promise<void> {
  const useful = archives.filter((archive) => missing.some((program) => archive.members[program] !== undefined));
  const unknown = missing.filter((program) => !useful.some((archive) => archive.members[program] !== undefined));
  if (unknown.length > 0)
    note(
      'download',
      `no checksum is pinned for ${unknown.join(', ')} of Kubernetes ${version} on ${platformName()}: passed over`,
    );
  for (const archive of useful) {
    try {
      await installArchive(archive, missing, folder, print);
      note(
        'download',
        `${archive.url}: ${listed(missing.filter((program) => archive.members[program] !== undefined))}`,
      );
    } catch (error) {
      note('download', messageOf(error));
    }
  }
}

async function buildInto(
  folder: string,
  version: string,
  missing: readonly Program[],
  print: (line: string) => void,
  note: Note,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const buildable = missing.filter((program) => canBuild(program, version));
  const not = missing.filter((program) => !canBuild(program, version));
  if (not.length > 0)
    note('go build', `there are sources of Kubernetes ${Object.keys(goModules).join(' and ')}, not of ${version}`);
  // Do not build etcd for minutes if the rest is unavailable.
  if (not.length > 0 || buildable.length === 0) return;
  try {
    await buildPrograms({ wanted: buildable, kubernetesVersion: version, folder, print, env });
    note('go build', listed(buildable));
  } catch (error) {
    note('go build', messageOf(error));
  }
}

async function versionOf(apiServer: string | undefined): Promise<string | undefined> {
  if (apiServer === undefined) return undefined;
  const text = await runCommand(apiServer, ['--version'], { timeoutMs: 20_000 }).catch(() => '');
  return /v(\d+\.\d+\.\d+\S*)/u.exec(text)?.[1];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing that is needed' : names.join(', ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
