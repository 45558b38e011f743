import { fileURLToPath } from 'node:url';

/** Folder with recorded objects of other programs, part of this package's sources. */
export const recordingsFolder = fileURLToPath(new URL('../recorded', import.meta.url));
