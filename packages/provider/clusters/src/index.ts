export { createClusterController } from './cluster-controller.js';
export { type OtherBackendOptions, createOtherBackendController } from './other-backend-controller.js';
export {
  type ClusterBindingHealthOptions,
  createClusterBindingHealthController,
} from './cluster-binding-controller.js';
