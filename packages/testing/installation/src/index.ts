export { type BindOptions, bind, requestExport } from './binding.js';
export {
  type ConsumerAccess,
  type ConsumerAccessOptions,
  binderRole,
  issueKubeconfig,
  onboardConsumer,
} from './consumer-access.js';
export { type CrdContent, crdOf } from './crd-of.js';
export { databases, sampleCrd } from './databases.js';
export { ensure } from './ensure.js';
export type { SampleApi } from './sample-api.js';
