// Locates programs that tools and tests call but that need not be installed: with Go, builds them once from their
// modules.
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run } from '../run.ts';

/** A program with a Go module. */
export interface GoProgram {
  /** Of its file. */
  readonly name: string;
  /** The version that `module` pins. */
  readonly version: string;
  /** The folder with go.mod and go.sum. */
  readonly module: string;
  readonly package: string;
  /** Linker variables, such as the version that the program reports. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface LocateProgramOptions {
  /** Only look, do not build. Default false. */
  readonly quick?: boolean;
  readonly print?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

/** Path of a program, or why it is unavailable. */
export type Located = { readonly path: string } | { readonly missing: string };

/** Looks on the PATH and in the cache; then builds the program into the cache, if Go is installed. Never rejects. */
export async function locateProgram(
  program: GoProgram,
  { quick = false, print = () => undefined, env = process.env }: LocateProgramOptions = {},
): Promise<Located> {
  const installed = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program.name))
    .find(isExecutable);
  if (installed !== undefined) return { path: installed };
  const folder = join(cacheFolder(env), 'programs', `${program.name}-v${program.version}`);
  const cached = join(folder, program.name);
  if (isExecutable(cached)) return { path: cached };
  if (quick) return { missing: `${program.name} is not installed, and not in ${folder}` };
  print(`building ${program.name} ${program.version} from its Go module (once)`);
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.build-'));
  try {
    const variables = Object.entries(program.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
    const { ok, how, stderr } = await run(
      'go',
      [
        'build',
        '-buildvcs=false',
        '-trimpath',
        '-mod=readonly',
        '-ldflags',
        ['-s', '-w', ...variables].join(' '),
        '-o',
        join(work, program.name),
        program.package,
      ],
      {
        cwd: program.module,
        env: { CGO_ENABLED: '0', GOFLAGS: '' },
        capture: true,
      },
    );
    if (!ok)
      return {
        missing:
          `${program.name} is not installed, and cannot be built (${how}) ${stderr.trim().split('\n').at(-1) ?? ''}`.trim(),
      };
    // Another process may have built the same program in the meantime.
    renameSync(join(work, program.name), cached);
    return { path: cached };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The cache folder that control planes use too. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const own = env['HAWSER_CACHE'] ?? '';
  if (own !== '') return own;
  const user = env['XDG_CACHE_HOME'] ?? '';
  return user === ''
    ? join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'hawser')
    : join(user, 'hawser');
}
