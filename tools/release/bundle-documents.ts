import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { looseModules } from '../bundled-require.ts';
import { type Component, bundledPackages, componentOf, sbom } from '../image/sbom.ts';
import { thirdPartyLicences } from './licences.ts';

/** Documents that go with every copy of a bundle. */
export const bundleDocuments = ['THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json'] as const;

/**
 * Writes them into `folder`. `others`: what the bundle comes with, such as a Node.
 * @param dist folder of the bundle's files, with their source maps
 * @throws Error for a bundle that looks for modules beside itself
 */
export function writeBundleDocuments(
  dist: string,
  files: readonly string[],
  application: { readonly name: string; readonly version: string; readonly license: string },
  folder: string,
  others: readonly Component[] = [],
): void {
  const loose = files.flatMap((file) => looseModules(readFileSync(join(dist, file), 'utf8')));
  if (loose.length > 0) throw new Error(`${application.name} looks for ${loose.join(', ')} beside itself`);
  const [licences, materials] = bundleDocuments;
  writeFileSync(join(folder, licences), `${thirdPartyLicences(dist, files)}\n`);
  writeFileSync(
    join(folder, materials),
    `${JSON.stringify(sbom(application, [...bundledPackages(dist, files).map(componentOf), ...others]), undefined, 1)}\n`,
  );
}
