// Writes the CRDs of the source as manifests into crds/: `npm run crds`.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crds, crdYAML } from './src/index.ts';

const folder = join(import.meta.dirname, 'crds');
await mkdir(folder, { recursive: true });
for (const file of await readdir(folder)) await rm(join(folder, file));
for (const crd of crds) await writeFile(join(folder, `${crd.spec.group}_${crd.spec.names.plural}.yaml`), crdYAML(crd));
