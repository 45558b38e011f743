import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingsFolder } from './recordings-folder.js';
import { type StoredObject, parseRecording } from './stored-object.js';

/**
 * The objects of one recording, for example `kube-bind-0.8.1-prefixed-cluster/consumer.json`. Recordings are not part of this repository:
 * a suite that uses one says `recordings: true`, and is skipped where there are none.
 */
export function readRecording(file: string): StoredObject[] {
  return parseRecording(readFileSync(join(recordingsFolder(), file), 'utf8'));
}
