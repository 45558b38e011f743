import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundledFolders } from '../image/sbom.ts';

/**
 * Licences and notices of all packages in a bundle's files; they must go with every copy.
 * @throws Error for a package with neither a text nor the name of a licence
 */
export function thirdPartyLicences(folder: string, files: readonly string[]): string {
  const texts = bundledFolders(folder, files).map((one) => {
    const { name, version, license } = JSON.parse(readFileSync(join(one, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const found = readdirSync(one)
      .filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file) && !/\.(?:js|ts|json)$/u.test(file))
      .sort()
      .map((file) => readFileSync(join(one, file), 'utf8').trim());
    if (found.length === 0 && license === undefined) throw new Error(`${name} ${version} names no licence`);
    const text =
      found.length > 0 ? found.join('\n\n') : `Licensed under ${license ?? ''}; the package has no text of it.`;
    return { title: `${name} ${version}`, text };
  });
  return [
    'This program contains the packages below, each under its own licence.',
    ...texts
      .sort((one, other) => (one.title < other.title ? -1 : 1))
      .map(({ title, text }) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text}`),
  ].join('\n\n');
}
