// Reads the packages of the workspace from their manifests: no tool keeps a list of its own.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The folder of the repository. */
export const root = dirname(import.meta.dirname);

/** The used fields of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly nx?: { readonly tags?: readonly string[] };
}

/** One npm workspace. */
export interface WorkspacePackage {
  /** Relative to the root, with `/`: `packages/runtime/clock`. */
  readonly dir: string;
  readonly manifest: Manifest;
}

/** Every npm workspace, ordered by folder. */
export function workspacePackages(base: string = root): readonly WorkspacePackage[] {
  const { workspaces } = readJson<{ readonly workspaces: readonly string[] }>(join(base, 'package.json'));
  return workspaces
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: base }))
    .map((file) => ({ dir: dirname(file).replaceAll('\\', '/'), manifest: readJson<Manifest>(join(base, file)) }))
    .sort((a, b) => (a.dir < b.dir ? -1 : 1));
}

/** Published packages: everything under packages/ and apps/ that is not private. */
export function publishedPackages(base: string = root): readonly WorkspacePackage[] {
  return workspacePackages(base).filter(
    ({ dir, manifest }) => /^(?:packages|apps)\//u.test(dir) && manifest.private !== true,
  );
}

/** Parses a JSON file; the caller vouches for its shape. */
export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

/** Whether a path relative to the root exists. */
export function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** A path relative to the root, for messages. */
export function display(path: string): string {
  return relative(root, path) || '.';
}
