import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingsFolder } from './recordings-folder.js';
import { type StoredObject, parseRecording } from './stored-object.js';

/** Reads the objects of one recording, for example `kube-bind-0.8.1-prefixed-cluster/consumer.json`; `recorded/README.md` lists them. */
export function readRecording(file: string): StoredObject[] {
  return parseRecording(readFileSync(join(recordingsFolder, file), 'utf8'));
}
