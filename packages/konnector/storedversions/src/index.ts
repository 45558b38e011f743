export { type StoredVersionsOptions, createStoredVersions } from './storedversions.js';
export { type Decision, decide } from './decide.js';
export { type Migration, migrate } from './migrate.js';
