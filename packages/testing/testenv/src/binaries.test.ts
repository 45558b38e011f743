import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LocateOptions, locateBinaries } from './binaries.js';
import { binariesFolder, cacheFolder } from './cache-folder.js';
import { knownArchives } from './archives.js';
import { goModules } from './go-build.js';
import { defaultEtcdVersion, defaultKubernetesVersion, hasMinor, platformName } from './platform.js';
import { TestenvError } from './testenv-error.js';

let root: string;
let tools: string;
let lines: string[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'hawser-binaries-'));
  tools = join(root, 'tools');
  await mkdir(tools);
  lines = [];
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

const version = '1.2.3';

/** The environment of a machine that has the usual tools and those that the test puts there, but no Go. */
const env = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: `${tools}:/nowhere`,
  HAWSER_CACHE: join(root, 'cache'),
  ...extra,
});
const locate = (options: LocateOptions = {}) =>
  locateBinaries({
    kubernetesVersion: version,
    env: env(),
    archives: [],
    print: (line) => lines.push(line),
    ...options,
  });

async function program(folder: string, name: string, script = `echo Kubernetes v${version}`): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}
async function programs(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await program(folder, name);
}
const base = ['etcd', 'kube-apiserver', 'kubectl'];

describe('the sources of binaries', () => {
  it('are asked in order: the assets folder first, and only for what is missing then the cache', async () => {
    const assets = join(root, 'assets');
    await programs(assets, base);
    await programs(binariesFolder(version, env()), [...base, 'kube-controller-manager']);
    const found = await locate({ env: env({ KUBEBUILDER_ASSETS: assets }), controllerManager: true });
    expect(found.paths).toEqual({
      etcd: join(assets, 'etcd'),
      'kube-apiserver': join(assets, 'kube-apiserver'),
      kubectl: join(assets, 'kubectl'),
      'kube-controller-manager': join(binariesFolder(version, env()), 'kube-controller-manager'),
    });
    expect(found.kubernetesVersion).toBe(version);
    expect(lines).toEqual(found.tried);
  });

  it('leave an assets folder with another version than the one asked for aside', async () => {
    const assets = join(root, 'assets');
    await programs(assets, base);
    await program(assets, 'kube-apiserver', 'echo Kubernetes v1.0.0');
    await programs(binariesFolder(version, env()), base);
    const found = await locate({ env: env({ KUBEBUILDER_ASSETS: assets }) });
    expect(found.paths.etcd).toBe(join(binariesFolder(version, env()), 'etcd'));
    expect(found.tried[0]).toContain('has Kubernetes 1.0.0, not 1.2.3');
  });

  it('do not count a file that cannot be run', async () => {
    const folder = binariesFolder(version, env());
    await programs(folder, base);
    await chmod(join(folder, 'etcd'), 0o644);
    await expect(locate({ quick: true })).rejects.toThrow('no etcd for Kubernetes 1.2.3');
  });

  it('are all named, with their reasons, when none has the programs', async () => {
    const failure = await locate().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TestenvError);
    expect(failure).toMatchObject({ code: 'binaries-unavailable' });
    for (const words of [
      'KUBEBUILDER_ASSETS: not set',
      'cache: ',
      'download: no checksum is pinned for etcd, kube-apiserver, kubectl of Kubernetes 1.2.3 on ',
      'go build: ',
    ])
      expect((failure as Error).message).toContain(words);
    expect(await readdir(binariesFolder(version, env()))).toEqual([]);
  });

  it('give the rest when only the controller manager cannot be had', async () => {
    await programs(binariesFolder(version, env()), base);
    const found = await locate({ controllerManager: true });
    expect(Object.keys(found.paths)).toEqual(base);
  });

  it('refuse a version that is none', async () => {
    await expect(locate({ kubernetesVersion: '../../x' })).rejects.toThrow(RangeError);
  });
});

describe('the build from Go modules', () => {
  it('puts what it builds into the cache, where the next run finds it', async () => {
    const script =
      'if [ "$1" = version ]; then echo go version go1.0; exit; fi; while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\\necho Kubernetes v1.36.3\\n" > "$2"; echo package >&2';
    await program(tools, 'go', script);
    const found = await locate({ kubernetesVersion: '1.36.3' });
    expect(found.tried.at(-1)).toBe('go build: etcd, kube-apiserver, kubectl');
    expect(lines).toContainEqual(
      expect.stringContaining('building kube-apiserver from Go modules with go version go1.0'),
    );
    await rm(join(tools, 'go'));
    expect((await locate({ kubernetesVersion: '1.36.3' })).paths).toEqual(found.paths);
  });

  it('says what the compiler said, and leaves nothing half-built', async () => {
    await program(tools, 'go', 'if [ "$1" = version ]; then exit; fi; echo no such module >&2; exit 1');
    await expect(locate({ kubernetesVersion: '1.36.3' })).rejects.toThrow('no such module');
    expect(await readdir(binariesFolder('1.36.3', env()))).toEqual([]);
  });
});

describe('what is pinned', () => {
  it('every Go module has the version that it is listed under, and that of the default also etcd', async () => {
    expect(Object.keys(goModules)).toContain(defaultKubernetesVersion);
    for (const [kubernetes, folder] of Object.entries(goModules)) {
      const goMod = await readFile(join(folder, 'go.mod'), 'utf8');
      expect(goMod).toContain(`k8s.io/kubernetes v${kubernetes}\n`);
      // Its libraries have numbers of their own: 0.36.3 belongs to 1.36.3.
      const libraries = [...goMod.matchAll(/^\tk8s\.io\/\S+ => k8s\.io\/\S+ v(\S+)$/gmu)].map(([, number]) => number);
      expect([...new Set(libraries)]).toEqual([kubernetes.replace(/^1\./u, '0.')]);
    }
    expect(await readFile(join(goModules[defaultKubernetesVersion] ?? '', 'go.mod'), 'utf8')).toContain(
      `go.etcd.io/etcd/server/v3 v${defaultEtcdVersion}\n`,
    );
  });

  it('etcd has a checksum where releases are made for it, Kubernetes only where one is written down', () => {
    for (const platform of ['linux/amd64', 'linux/arm64']) {
      expect(knownArchives(defaultKubernetesVersion, platform).map(({ members }) => Object.keys(members))).toEqual([
        ['etcd'],
      ]);
      expect(knownArchives('1.36.0', platform).map(({ url }) => url)).toEqual([
        expect.stringMatching(/^https:\/\/dl\.k8s\.io\/v1\.36\.0\//u),
        expect.stringMatching(/^https:\/\/github\.com\/etcd-io\//u),
      ]);
    }
    expect(knownArchives(defaultKubernetesVersion, 'plan9/mips')).toEqual([]);
  });

  it('a version without sources is not built', async () => {
    await program(tools, 'go');
    await expect(locate()).rejects.toThrow(
      'go build: there are sources of Kubernetes 1.36.3 and 1.33.13, not of 1.2.3',
    );
  });
});

describe('the download', () => {
  let server: Server;
  let url: string;
  let archive: Buffer;
  beforeEach(async () => {
    await programs(join(root, 'pack', 'dist', 'bin'), base);
    execFileSync('tar', ['-czf', join(root, 'archive.tar.gz'), '-C', join(root, 'pack'), 'dist']);
    archive = await readFile(join(root, 'archive.tar.gz'));
    server = createServer((request, response) => {
      response.statusCode = request.url === '/archive.tar.gz' ? 200 : 404;
      response.end(archive);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const members = { etcd: 'dist/bin/etcd', 'kube-apiserver': 'dist/bin/kube-apiserver', kubectl: 'dist/bin/kubectl' };

  it.each(['sha256', 'sha512'] as const)('installs an archive that has the pinned %s', async (algorithm) => {
    const value = createHash(algorithm).update(archive).digest('hex');
    const found = await locate({
      archives: [{ url: `${url}/archive.tar.gz`, checksum: { algorithm, value }, members }],
    });
    expect(found.paths.etcd).toBe(join(binariesFolder(version, env()), 'etcd'));
    expect(execFileSync(found.paths.etcd!, { encoding: 'utf8' })).toBe('Kubernetes v1.2.3\n');
    expect((await readdir(binariesFolder(version, env()))).sort()).toEqual(base);
  });

  it('installs nothing of an archive that has another', async () => {
    await expect(
      locate({ archives: [{ url: `${url}/archive.tar.gz`, checksum: { algorithm: 'sha512', value: '00' }, members }] }),
    ).rejects.toThrow(/sha512 is [0-9a-f]{128}, expected 00/u);
    expect(await readdir(binariesFolder(version, env()))).toEqual([]);
  });

  it('passes over what has no pinned checksum, says so in one line, and takes the rest from elsewhere', async () => {
    const value = createHash('sha256').update(archive).digest('hex');
    const known = { etcd: members.etcd, kubectl: members.kubectl };
    await expect(
      locate({
        archives: [{ url: `${url}/archive.tar.gz`, checksum: { algorithm: 'sha256', value }, members: known }],
      }),
    ).rejects.toThrow('no kube-apiserver for Kubernetes 1.2.3');
    expect(lines.filter((line) => line.startsWith('download: '))).toEqual([
      `download: no checksum is pinned for kube-apiserver of Kubernetes 1.2.3 on ${platformName()}: passed over`,
      `download: ${url}/archive.tar.gz: etcd, kubectl`,
    ]);
    expect((await readdir(binariesFolder(version, env()))).sort()).toEqual(['etcd', 'kubectl']);
  });

  it('names a server that does not have it, or does not answer', async () => {
    await expect(
      locate({ archives: [{ url: `${url}/other.tar.gz`, checksum: { algorithm: 'sha512', value: '00' }, members }] }),
    ).rejects.toThrow('HTTP 404');
    await expect(
      locate({ archives: [{ url: 'http://127.0.0.1:1/x', checksum: { algorithm: 'sha512', value: '00' }, members }] }),
    ).rejects.toThrow('http://127.0.0.1:1/x');
  });
});

it("the cache folder is HAWSER_CACHE, else hawser in the user's", () => {
  expect(cacheFolder({ HAWSER_CACHE: '/a' })).toBe('/a');
  expect(cacheFolder({ HAWSER_CACHE: '', XDG_CACHE_HOME: '/b' })).toBe('/b/hawser');
});

it.each([
  ['1.36.3', '1.36', true],
  ['v1.36.0', '1.33', true],
  ['2.0.0', '1.36', true],
  ['1.33.13', '1.34', false],
  ['1.9.0', '1.10', false],
  ['0.99.0', '1.0', false],
] as const)('%s has what came with %s: %s', (version, minor, yes) => {
  expect(hasMinor(version, minor)).toBe(yes);
});
