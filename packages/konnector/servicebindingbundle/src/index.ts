export {
  type ServiceBindingBundleController,
  type ServiceBindingBundleOptions,
  createServiceBindingBundle,
} from './servicebindingbundle.js';
