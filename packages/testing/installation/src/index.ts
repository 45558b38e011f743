export { type BindOptions, bind, requestExport } from './binding.js';
export { type ConsumerAccess, type ConsumerAccessOptions, issueKubeconfig, onboardConsumer } from './consumer-access.js';
export { type SampleApi, databases, sampleCrd } from './databases.js';
export { ensure } from './ensure.js';
