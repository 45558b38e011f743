export { type StoredVersionsOptions, createStoredVersions } from './storedversions.js';
