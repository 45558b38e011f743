import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root } from '../workspace.ts';
import { type Architecture, type FetchedBase, architectures, fetchBase, readPins } from './base.ts';
import { layOutNode, layOutSystem, user } from './file-system.ts';
import { type PlatformImage, writeImage } from './oci.ts';
import { type Component, nodeComponent } from './sbom.ts';
import { stageApplication } from './stage.ts';

export interface BuildImageOptions {
  /** Default `hawser:<version>`. */
  readonly tag?: string;
  /** Default all. */
  readonly only?: readonly Architecture[];
  /** Output archive. Default tmp/image/hawser-<version>.tar. */
  readonly file?: string;
}

/** The built image with the digest to pin it by, or why its base is unavailable. */
export type BuiltImage =
  { readonly tag: string; readonly file: string; readonly digest: string } | { readonly missing: string };

const work = join(root, 'tmp', 'image');

type Layer = 'system' | 'node' | 'application';

/** Folder of a layer of the last build. */
export function layerOf(architecture: Architecture, layer: Layer): string {
  return join(work, architecture, layer);
}

/**
 * Builds the image from the built supervisor, without Docker: Debian's C libraries, Node, and the bundle; no shell and
 * no other program. The same commit, pins and Node give the same digest on every machine.
 * @throws Error when the supervisor is not built.
 */
export async function buildImage({ tag, only = architectures, file }: BuildImageOptions = {}): Promise<BuiltImage> {
  const { version } = readJson<{ readonly version: string }>(join(root, 'apps/supervisor/package.json'));
  const name = tag ?? `hawser:${version}`;
  rmSync(work, { recursive: true, force: true });
  const bases: [Architecture, Exclude<FetchedBase, { readonly missing: string }>][] = [];
  for (const architecture of only) {
    const base = await fetchBase(architecture);
    if ('missing' in base) return base;
    bases.push([architecture, base]);
  }
  const platforms: PlatformImage[] = [];
  for (const [architecture, base] of bases) {
    const layer = (what: Layer): string => {
      const folder = layerOf(architecture, what);
      mkdirSync(folder, { recursive: true });
      return folder;
    };
    const system = layer('system');
    await layOutSystem(base.packages, system);
    const node = layer('node');
    await layOutNode(base.node, node);
    const application = layer('application');
    stageApplication(application, componentsOf(architecture));
    platforms.push({
      architecture,
      layers: [
        { folder: system, what: 'libraries of Debian' },
        { folder: node, what: 'Node' },
        { folder: application, what: 'hawser' },
      ],
    });
  }
  const target = file ?? join(work, `hawser-${version}.tar`);
  const { createdAt, labels } = source();
  const digest = writeImage({
    tag: name,
    file: target,
    createdAt,
    platforms,
    config: {
      User: `${user}:${user}`,
      // Without a command it is a konnector, to replace the Go konnector's image, whose path is /bin/konnector.
      Entrypoint: ['/usr/local/bin/hawser-konnector'],
      Env: ['PATH=/usr/local/bin:/usr/bin'],
      ExposedPorts: { '8090/tcp': {} },
      WorkingDir: '/',
      Labels: {
        'org.opencontainers.image.title': 'hawser',
        'org.opencontainers.image.description':
          'Binds the APIs of one Kubernetes cluster to another and keeps the objects in step.',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': version,
        ...labels,
      },
    },
  });
  return { tag: name, file: target, digest };
}

/** Entries of the bill of materials beside the bundle's packages. */
function componentsOf(architecture: Architecture): readonly Component[] {
  const { node, packages } = readPins();
  const content = Buffer.from(node.integrity[architecture].replace('sha512-', ''), 'base64').toString('hex');
  return [
    nodeComponent(node.version, { alg: 'SHA-512', content }),
    ...packages[architecture].map(({ name, version, sha256 }): Component => ({
      type: 'library',
      name,
      version,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-12`,
      hash: { alg: 'SHA-256', content: sha256 },
    })),
  ];
}

/** The source commit; nothing outside of a checkout. `SOURCE_DATE_EPOCH` overrides its time. */
function source(): { readonly createdAt: number; readonly labels: Readonly<Record<string, string>> } {
  const given = process.env['SOURCE_DATE_EPOCH'];
  const [commit = '', time = '0'] = commitOf().split(' ');
  return {
    createdAt: Number(given ?? time),
    labels: commit === '' ? {} : { 'org.opencontainers.image.revision': commit },
  };
}

function commitOf(): string {
  try {
    return execFileSync('git', ['log', '-1', '--format=%H %ct'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}
