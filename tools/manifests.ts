// `npm run manifests`: writes the `helm template` output of the konnector's chart into
// packages/api/konnector-manifests. --check writes nothing, and fails if the file is out of date; without Helm it says
// so.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parseAllDocuments } from 'yaml';
import { locateProgram } from './programs/go-program.ts';
import { helm } from './programs/programs.ts';
import { root } from './workspace.ts';

const FILE = 'packages/api/konnector-manifests/src/rendered.ts';
const found = await locateProgram(helm, { quick: process.argv.includes('--check'), print: console.log });
if ('missing' in found) {
  console.log(`manifests: not checked, ${found.missing}`);
} else {
  const args = ['template', 'konnector', join(root, 'charts/konnector'), '--namespace', 'kube-bind'];
  const text = execFileSync(found.path, [...args, '--kube-version', '1.36.3'], { encoding: 'utf8' });
  // They belong to no Helm release.
  const ours = text.replaceAll('app.kubernetes.io/managed-by: Helm', 'app.kubernetes.io/managed-by: hawser');
  const objects = parseAllDocuments(ours)
    .map((one) => one.toJS() as unknown)
    .filter((one) => one !== null);
  const source = `import type { UnstructuredObject } from '@hawser/client';

/** Generated from charts/konnector by \`npm run manifests\`. */
export const rendered: readonly UnstructuredObject[] = ${JSON.stringify(objects)};
`;
  const path = join(root, FILE);
  const wanted = await format(source, { ...(await resolveConfig(path)), filepath: path });
  if (!process.argv.includes('--check')) writeFileSync(path, wanted);
  else if (readFileSync(path, 'utf8') !== wanted) {
    console.error(`${FILE}: is not what charts/konnector says; run \`npm run manifests\``);
    process.exitCode = 1;
  }
  console.log(`manifests: ${objects.length} objects of the konnector`);
}
