import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readJson, root } from '../workspace.ts';

/** An npm package in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** From its manifest: usually an SPDX identifier or expression. */
  readonly license?: string;
  /** SHA-512 of its tarball in hexadecimal, if the lockfile has it. */
  readonly sha512?: string;
}

interface LockedPackage {
  readonly integrity?: string;
}

/** Packages that the bundle's files contain, from their source maps. Leaves out our own. */
export function bundledPackages(
  folder: string,
  files: readonly string[],
  base: string = root,
): readonly BundledPackage[] {
  const { packages: locked } = readJson<{ readonly packages: Readonly<Record<string, LockedPackage>> }>(
    join(base, 'package-lock.json'),
  );
  return bundledFolders(folder, files)
    .map((one) => bundled(one, locked[one.slice(base.length + 1)]))
    .sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

/** Their folders: one for each version of each package. */
export function bundledFolders(folder: string, files: readonly string[]): readonly string[] {
  return [
    ...new Set(
      files.flatMap((file) =>
        readJson<{ readonly sources: readonly string[] }>(join(folder, `${file}.map`)).sources.flatMap((source) =>
          packageFolder(resolve(folder, source)),
        ),
      ),
    ),
  ];
}

function packageFolder(file: string): readonly string[] {
  const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(file);
  return found === null ? [] : [found[0]];
}

function bundled(folder: string, locked: LockedPackage | undefined): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: unknown;
  };
  const sha512 = /^sha512-(\S+)$/u.exec(locked?.integrity ?? '')?.[1];
  return {
    name,
    version,
    ...(typeof license === 'string' ? { license } : {}),
    ...(sha512 === undefined ? {} : { sha512: Buffer.from(sha512, 'base64').toString('hex') }),
  };
}

/** A part of an application, as CycloneDX has it. */
export interface Component {
  readonly type: 'library' | 'platform';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** Lets scanners find its vulnerabilities where the purl is not enough. */
  readonly cpe?: string;
  /** Usually an SPDX identifier or expression. */
  readonly licence?: string;
  readonly hash?: { readonly alg: 'SHA-256' | 'SHA-512'; readonly content: string };
}

export function componentOf({ name, version, license, sha512 }: BundledPackage): Component {
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license === undefined ? {} : { licence: license }),
    ...(sha512 === undefined ? {} : { hash: { alg: 'SHA-512', content: sha512 } }),
  };
}

/**
 * The Node of an image or an executable.
 * @param hash of its source
 */
export function nodeComponent(version: string, hash?: Component['hash']): Component {
  return {
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licence: 'MIT',
    ...(hash === undefined ? {} : { hash }),
  };
}

/** Its entry in a bill of materials. */
export function listed({ licence, hash, purl, ...rest }: Component): {
  readonly 'bom-ref': string;
  readonly [field: string]: unknown;
} {
  return {
    'bom-ref': purl,
    ...rest,
    purl,
    ...(licence === undefined
      ? {}
      : { licenses: [/[ (]/u.test(licence) ? { expression: licence } : { license: { id: licence } }] }),
    ...(hash === undefined ? {} : { hashes: [hash] }),
  };
}

/**
 * Bill of materials of an application in CycloneDX 1.6. The same input gives the same text: it has neither time nor
 * serial number.
 */
export function sbom(
  application: { readonly name: string; readonly version: string; readonly license: string },
  parts: readonly Component[],
): object {
  const reference = `pkg:generic/${application.name}@${application.version}`;
  const components = parts.map(listed);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': reference,
        ...application,
        license: undefined,
        licenses: [{ license: { id: application.license } }],
      },
    },
    components,
    dependencies: [{ ref: reference, dependsOn: components.map((component) => component['bom-ref']) }],
  };
}
