// An image as a file: an OCI layout in a tar archive (https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md), with the manifest.json that `docker load` reads beside it.
// The same layers give the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Architecture } from './base.ts';

export interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Content of one architecture: folders, the lowest first. */
export interface PlatformImage {
  readonly architecture: Architecture;
  readonly layers: readonly { readonly folder: string; readonly what: string }[];
}

export interface ImageOptions {
  /** `hawser:0.1.0`. */
  readonly tag: string;
  readonly config: ImageConfig;
  /** Time of the configuration and its history. Seconds since 1970. */
  readonly createdAt: number;
  readonly platforms: readonly PlatformImage[];
  /** The archive that is written. */
  readonly file: string;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Layer extends Descriptor {
  /** Hash of its unpacked content. */
  readonly diffId: string;
  readonly what: string;
}

/** Writes the image; returns the digest to pin it by: that of the index of its platforms. */
export function writeImage({ tag, config, createdAt, platforms, file }: ImageOptions): string {
  const work = mkdtempSync(join(tmpdir(), 'hawser-oci-'));
  try {
    const blobs = join(work, 'blobs', 'sha256');
    mkdirSync(blobs, { recursive: true });
    const add = (mediaType: string, content: Buffer): Descriptor => {
      const hash = sha256(content);
      writeFileSync(join(blobs, hash), content);
      return { mediaType, digest: `sha256:${hash}`, size: content.length };
    };
    const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
    const addJson = (mediaType: string, value: unknown): Descriptor => add(mediaType, json(value));
    const layerOf = ({ folder, what }: PlatformImage['layers'][number]): Layer => {
      const content = tar(folder, readdirSync(folder));
      return {
        ...add('application/vnd.oci.image.layer.v1.tar+gzip', gzip(content)),
        diffId: `sha256:${sha256(content)}`,
        what,
      };
    };
    const created = new Date(createdAt * 1000).toISOString().replace('.000Z', 'Z');
    const images = platforms.map(({ architecture, layers: folders }) => {
      const layers = folders.map(layerOf);
      const configuration = addJson('application/vnd.oci.image.config.v1+json', {
        created,
        architecture,
        os: 'linux',
        config,
        rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
        history: layers.map(({ what }) => ({ created, created_by: what })),
      });
      const manifest = addJson('application/vnd.oci.image.manifest.v1+json', {
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: configuration,
        layers: layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
        annotations: config.Labels,
      });
      return { layers, configuration, manifest: { ...manifest, platform: { architecture, os: 'linux' } } };
    });
    const index = addJson('application/vnd.oci.image.index.v1+json', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: images.map(({ manifest }) => manifest),
      annotations: config.Labels,
    });
    const [, version = 'latest'] = /:([^/:]+)$/u.exec(tag) ?? [];
    const write = (name: string, value: unknown): void => {
      writeFileSync(join(work, name), json(value));
    };
    write('oci-layout', { imageLayoutVersion: '1.0.0' });
    write('index.json', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [
        {
          ...index,
          annotations: { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': reference(tag) },
        },
      ],
    });
    const pathOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;
    // Docker loads one platform: that of this machine.
    const own = images.find(({ manifest }) => manifest.platform.architecture === ownArchitecture) ?? images[0];
    if (own !== undefined)
      write('manifest.json', [{ Config: pathOf(own.configuration), RepoTags: [tag], Layers: own.layers.map(pathOf) }]);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, tar(work, ['oci-layout', 'index.json', 'manifest.json', 'blobs']));
    return index.digest;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const ownArchitecture: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** A name in containerd's form: with a host, Docker's by default. */
function reference(tag: string): string {
  if (!tag.includes('/')) return `docker.io/library/${tag}`;
  const [host = ''] = tag.split('/');
  return /[.:]|^localhost$/u.test(host) ? tag : `docker.io/${tag}`;
}

/** The same files give the same archive, regardless of user and time. */
export function tar(folder: string, entries: readonly string[]): Buffer {
  const flags = ['--sort=name', '--format=gnu', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  return execFileSync('tar', [...flags, '-C', folder, '-cf', '-', ...entries.toSorted()], { maxBuffer: 2 * 1024 ** 3 });
}

/** Uses the gzip program: the output of Node's zlib depends on the processor. */
function gzip(content: Buffer): Buffer {
  return execFileSync('gzip', ['--no-name', '-6'], { input: content, maxBuffer: 2 * 1024 ** 3 });
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
