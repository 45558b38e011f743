export {
  type ClusterToRead,
  type SupportBundle,
  type SupportBundleOptions,
  gatherSupportBundle,
} from './gather-support-bundle.js';
export type { ConsumerContext } from './gather-consumer.js';
export { secretsOf } from './secrets-of.js';
export { LEFT_OUT } from './shape.js';
export type { TarFile } from './tar.js';
export { REDACTED, withoutSecrets } from './without-secrets.js';
export { isArchive, writeBundle, type WriteOptions } from './write-bundle.js';
