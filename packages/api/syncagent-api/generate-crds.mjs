// Writes the CRDs of the source as manifests into crds/, and for the chart: `npm run crds`.
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crds, crdYAML } from './src/index.ts';

const folder = join(import.meta.dirname, 'crds');
await mkdir(folder, { recursive: true });
for (const file of await readdir(folder)) await rm(join(folder, file));
for (const crd of crds) await writeFile(join(folder, `${crd.spec.group}_${crd.spec.names.plural}.yaml`), crdYAML(crd));
await copyFile(
  join(folder, 'syncagent.kcp.io_publishedresources.yaml'),
  join(import.meta.dirname, '../../../charts/syncagent/files/publishedresources.yaml'),
);
