export {
  type ServiceBindingBundleController,
  type ServiceBindingBundleOptions,
  createServiceBindingBundle,
} from './servicebindingbundle.js';
export type { BundleReason } from './problems.js';
