// Base of the image: Node, and the C libraries of Debian it needs. base.json pins versions and hashes; `npm run image
// -- --update` pins today's.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { cacheFolder } from '../programs/go-program.ts';
import { run } from '../run.ts';
import { readJson, root } from '../workspace.ts';

/** As Debian and OCI call it. */
export type Architecture = 'amd64' | 'arm64';
export const architectures = ['amd64', 'arm64'] as const;

/** A package of Debian. */
export interface DebianPin {
  readonly name: string;
  readonly version: string;
  /** Path in the archive. */
  readonly file: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

interface NodePin {
  readonly version: string;
  /** As npm has it: `sha512-…`. */
  readonly integrity: Readonly<Record<Architecture, string>>;
}

export interface BasePins {
  /** Debian suites to search when pinning. */
  readonly suites: readonly string[];
  readonly node: NodePin;
  readonly packages: Readonly<Record<Architecture, readonly DebianPin[]>>;
}

/** Pinned files, or why they are missing. */
export type FetchedBase =
  | { readonly node: string; readonly packages: readonly { readonly pin: DebianPin; readonly file: string }[] }
  | { readonly missing: string };

const pinsFile = join(import.meta.dirname, 'base.json');
/** Packages that Node needs, and the one that identifies the system. */
const names = ['base-files', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'] as const;

export function readPins(): BasePins {
  return readJson<BasePins>(pinsFile);
}

/** Name of npm's package with Node for this architecture. */
export function nodePackage(architecture: Architecture): string {
  return `node-linux-${architecture === 'amd64' ? 'x64' : architecture}`;
}

/** Fetches the pinned files from the cache, else from archive and registry. Rejects any other hash. */
export async function fetchBase(architecture: Architecture, pins: BasePins = readPins()): Promise<FetchedBase> {
  try {
    const { ok } = await run('dpkg-deb', ['--version'], { capture: true });
    if (!ok) return { missing: 'there is no dpkg-deb, which unpacks packages of Debian' };
    let known: Promise<readonly string[]> | undefined;
    const archives = (): Promise<readonly string[]> => (known ??= debianArchives());
    const packages = [];
    for (const pin of pins.packages[architecture])
      packages.push({ pin, file: await cached(pin.sha256, 'sha256', 'hex', () => fromArchives(archives, pin.file)) });
    const [, sha512 = ''] = pins.node.integrity[architecture].split('sha512-');
    const name = `${nodePackage(architecture)}@${pins.node.version}`;
    return { node: await cached(sha512, 'sha512', 'base64', () => fromRegistry(name)), packages };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/** Pins today's versions in base.json: the Node of this workspace, and Debian's newest packages. */
export async function updatePins(): Promise<BasePins> {
  const { suites } = readPins();
  const version = workspaceNode();
  const archives = await debianArchives();
  const pins: BasePins = {
    suites,
    node: {
      version,
      integrity: { amd64: await integrity('amd64', version), arm64: await integrity('arm64', version) },
    },
    packages: { amd64: await newest(archives, suites, 'amd64'), arm64: await newest(archives, suites, 'arm64') },
  };
  writeFileSync(pinsFile, `${JSON.stringify(pins, undefined, 2)}\n`);
  return pins;
}

/** The Node that the workspace is tested with. */
export function workspaceNode(): string {
  const { packages } = readJson<{ readonly packages: Readonly<Record<string, { readonly version?: string }>> }>(
    join(root, 'package-lock.json'),
  );
  return packages['node_modules/node']?.version ?? '';
}

async function cached(
  hash: string,
  algorithm: 'sha256' | 'sha512',
  encoding: 'hex' | 'base64',
  fetch: () => Promise<Buffer>,
): Promise<string> {
  const isIt = (content: Buffer): boolean => createHash(algorithm).update(content).digest(encoding) === hash;
  const folder = join(cacheFolder(process.env), 'image');
  const file = join(folder, Buffer.from(hash, encoding).toString('hex').slice(0, 64));
  if (existsSync(file) && isIt(readFileSync(file))) return file;
  const content = await fetch();
  if (!isIt(content)) throw new Error(`what was downloaded does not have the pinned hash ${hash}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

/** URLs of archives from `HAWSER_DEBIAN`, else those of this machine's apt. */
async function debianArchives(): Promise<readonly string[]> {
  const named = (process.env['HAWSER_DEBIAN'] ?? '').split(/\s+/u).filter((one) => one !== '');
  if (named.length > 0) return named.map((one) => (one.endsWith('/') ? one : `${one}/`));
  const { suites } = readPins();
  const { ok, stdout } = await run('apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)'], {
    capture: true,
  });
  const found = (ok ? stdout.split('\n') : []).map((line) => line.split(' '));
  const archives = [...new Set(found.flatMap(([suite = '', uri]) => (suites.includes(suite) ? (uri ?? []) : [])))];
  if (archives.length === 0)
    throw new Error('this machine knows no archive of Debian; HAWSER_DEBIAN takes addresses of archives');
  return archives;
}

async function fromArchives(archives: () => Promise<readonly string[]>, file: string): Promise<Buffer> {
  for (const archive of await archives()) {
    const found = await download(`${archive}${file}`);
    if (found !== undefined) return found;
  }
  throw new Error(
    `${file} is not in the archive any more: npm run image -- --update, or an archive of snapshots in HAWSER_DEBIAN`,
  );
}

async function fromRegistry(name: string): Promise<Buffer> {
  const work = mkdtempSync(join(tmpdir(), 'hawser-node-'));
  try {
    const { ok, how, stdout } = await run('npm', ['pack', '--silent', '--pack-destination', work, name], {
      capture: true,
      timeoutMs: 5 * 60_000,
    });
    if (!ok) throw new Error(`npm pack ${name}: ${how}`);
    return readFileSync(join(work, stdout.trim()));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @returns undefined for a missing file
 * @throws Error if the archive is unreachable
 */
async function download(url: string): Promise<Buffer | undefined> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2 * 60_000) }).catch(() => undefined);
  if (answer === undefined)
    throw new Error('the archive of Debian cannot be reached; HAWSER_DEBIAN takes addresses of others');
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined;
}

async function integrity(architecture: Architecture, version: string): Promise<string> {
  const { ok, how, stdout } = await run('npm', ['view', `${nodePackage(architecture)}@${version}`, 'dist.integrity'], {
    capture: true,
  });
  if (!ok || !stdout.startsWith('sha512-')) throw new Error(`npm view ${nodePackage(architecture)}@${version}: ${how}`);
  return stdout.trim();
}

async function newest(
  archives: readonly string[],
  suites: readonly string[],
  architecture: Architecture,
): Promise<readonly DebianPin[]> {
  const found = new Map<string, DebianPin>();
  for (const archive of archives)
    for (const suite of suites) {
      const index = await download(`${archive}dists/${suite}/main/binary-${architecture}/Packages.gz`);
      for (const pin of index === undefined ? [] : readIndex(gunzipSync(index).toString('utf8'))) {
        const known = found.get(pin.name);
        if (known === undefined || (await isNewer(pin.version, known.version))) found.set(pin.name, pin);
      }
    }
  return names.map((name) => {
    const pin = found.get(name);
    if (pin === undefined) throw new Error(`no archive has ${name} for ${architecture}`);
    return pin;
  });
}

function readIndex(text: string): readonly DebianPin[] {
  return text.split('\n\n').flatMap((stanza) => {
    const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'mu').exec(stanza)?.[1] ?? '';
    const name = field('Package');
    return (names as readonly string[]).includes(name)
      ? [{ name, version: field('Version'), file: field('Filename'), sha256: field('SHA256') }]
      : [];
  });
}

async function isNewer(version: string, known: string): Promise<boolean> {
  return (await run('dpkg', ['--compare-versions', version, 'gt', known], { capture: true })).ok;
}
