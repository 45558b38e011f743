// `npm run release -- --dry-run`: makes every release artefact in tmp/release from a built checkout: npm packages,
// executables, charts, and their bills of materials. Nothing leaves this machine. It reports and leaves out what is
// absent, such as Helm.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { locateProgram } from '../programs/go-program.ts';
import { helm } from '../programs/programs.ts';
import { npmPack, stagePackages } from '../stage-packages.ts';
import { readJson, root } from '../workspace.ts';
import { architectures } from '../image/base.ts';
import { buildImage, layerOf } from '../image/build.ts';
import { licenceOfNode } from '../image/file-system.ts';
import { tar } from '../image/oci.ts';
import { listed, nodeComponent } from '../image/sbom.ts';
import { executables, makeExecutable } from './executable.ts';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
if (!values['dry-run']) {
  console.error(
    'This makes artefacts and publishes none: npm run release -- --dry-run. The release workflow publishes them.',
  );
  process.exit(2);
}
const target = join(root, 'tmp', 'release');
rmSync(target, { recursive: true, force: true });
const folder = (name: string): string => {
  mkdirSync(join(target, name), { recursive: true });
  return join(target, name);
};

const packages = await stagePackages();
await npmPack(
  packages.map(({ staged }) => staged),
  folder('npm'),
);
for (const { staged, manifest } of packages.filter(({ dir }) => dir.startsWith('apps/')))
  copyFileSync(
    join(staged, 'sbom.cdx.json'),
    join(folder('sbom'), `${manifest.name.replace(/^@hawser\//u, '')}.cdx.json`),
  );

for (const executable of executables) {
  const { staged } = packages.find(({ dir }) => executable.entry.startsWith(`${dir}/`)) ?? {};
  if (staged === undefined) throw new Error(`${executable.name} is of no package`);
  const name = `${executable.name}-${process.platform}-${process.arch}`;
  const files = join(root, 'tmp', 'executable', name);
  rmSync(files, { recursive: true, force: true });
  await makeExecutable({ ...executable, file: join(files, executable.name) });
  if (executable.name === 'kubectl-bind')
    writeFileSync(join(files, 'kubectl_complete-bind'), '#!/bin/sh\nexec kubectl-bind __complete "$@"\n', {
      mode: 0o755,
    });
  for (const file of ['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'README.md'])
    copyFileSync(join(staged, file), join(files, file));
  writeFileSync(join(files, 'NODE-LICENSE.txt'), licenceOfNode());
  const materials = withNode(readJson<Materials>(join(staged, 'sbom.cdx.json')));
  writeFileSync(join(folder('sbom'), `${name}.cdx.json`), `${JSON.stringify(materials, undefined, 1)}\n`);
  writeFileSync(join(folder('executables'), `${name}.tar.gz`), archive(files));
}
const repository = process.env['HAWSER_REPOSITORY'] ?? '';
if (repository === '') console.log('krew: left out, HAWSER_REPOSITORY names no address to download from');
else writeFileSync(join(folder('krew'), 'bind.yaml'), krewManifest(repository));

const found = await locateProgram(helm, { print: console.log });
if ('missing' in found) console.log(`charts: left out, ${found.missing}`);
else {
  const work = join(root, 'tmp', 'charts');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const chart of ['konnector', 'provider', 'syncagent']) {
    execFileSync(found.path, ['package', join(root, 'charts', chart), '--destination', work], { stdio: 'pipe' });
    const [packed = ''] = globSync(`${chart}-*.tgz`, { cwd: work });
    execFileSync('tar', ['-xzf', join(work, packed), '-C', work]);
    // Helm puts the time into its archives.
    writeFileSync(join(folder('charts'), packed), archive(work, chart));
  }
}

// One machine builds both architectures.
if (process.platform !== 'linux') console.log('image: left out, it is built on Linux');
else {
  const image = await buildImage({ file: join(folder('image'), 'hawser-image.tar') });
  if ('missing' in image) {
    rmSync(folder('image'), { recursive: true });
    console.log(`image: left out, ${image.missing}`);
  } else {
    console.log(`image: ${image.digest}`);
    for (const architecture of architectures)
      copyFileSync(
        join(layerOf(architecture, 'application'), 'hawser/sbom.cdx.json'),
        join(folder('sbom'), `hawser-image-${architecture}.cdx.json`),
      );
  }
}

const files = globSync('*/*', { cwd: target }).sort();
// Files are downloaded by name, all into one folder.
if (new Set(files.map((file) => basename(file))).size < files.length) throw new Error('two files have one name');
const sums = files.map(
  (file) =>
    `${createHash('sha256')
      .update(readFileSync(join(target, file)))
      .digest('hex')}  ${basename(file)}`,
);
writeFileSync(join(target, 'SHA256SUMS'), `${sums.join('\n')}\n`);
for (const kind of ['npm', 'executables', 'image', 'krew', 'charts', 'sbom'])
  console.log(
    `${kind}: ${
      files
        .filter((file) => file.startsWith(`${kind}/`))
        .map((file) => basename(file))
        .join(', ') || 'none'
    }`,
  );
console.log(`checksums of ${files.length} files: ${join(target, 'SHA256SUMS')}`);

/** The used part of a bill of materials. */
interface Materials {
  readonly components: readonly object[];
}

/** An executable contains the Node that made it. */
function withNode(materials: Materials): Materials {
  return { ...materials, components: [...materials.components, listed(nodeComponent(process.versions.node))] };
}

/** Reproducible archive of these files. */
function archive(files: string, entry = '.'): Buffer {
  return gzipSync(tar(files, [entry]), { level: 6 });
}

/**
 * Manifest for `kubectl krew install` with this platform's files; the release workflow joins all platforms. In JSON,
 * which is YAML too.
 */
function krewManifest(from: string): string {
  const { version } = readJson<{ readonly version: string }>(join(root, 'package.json'));
  const file = `kubectl-bind-${process.platform}-${process.arch}.tar.gz`;
  const sha256 = createHash('sha256')
    .update(readFileSync(join(target, 'executables', file)))
    .digest('hex');
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const manifest = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'bind' },
    spec: {
      version: `v${version}`,
      homepage: from,
      shortDescription: 'Bind APIs of a provider',
      description: 'Signs you in at a provider, binds its APIs on your cluster, and looks after what is bound.',
      platforms: [
        {
          selector: { matchLabels: { os: process.platform === 'win32' ? 'windows' : process.platform, arch } },
          uri: `${from}/releases/download/v${version}/${file}`,
          sha256,
          bin: process.platform === 'win32' ? 'kubectl-bind.exe' : 'kubectl-bind',
        },
      ],
    },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
