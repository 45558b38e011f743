export {
  type ControlPlane,
  type ControlPlaneOptions,
  type ClusterAccess,
  type SharedControlPlane,
  type ServiceAccountOptions,
  type KubectlOptions,
  type RestartOptions,
} from './control-plane.js';
export { startControlPlane } from './start.js';
export { type AuditEntry, type AuditFilter, type AuditLog, type AuditMark } from './audit-log.js';
export { type ControlPlaneBinaries, type LocateOptions, locateBinaries } from './binaries.js';
export { type EtcdEntry } from './etcd.js';
export { TestenvError, type TestenvErrorCode } from './testenv-error.js';
export { kubeconfigText } from './kubeconfig-text.js';
export { type RawRequest, type RawResponse, rawRequest } from './request.js';
export { type EventuallyOptions, eventually } from './eventually.js';
export { type SettledOptions, settled } from './settled.js';
export {
  type SuiteOptions,
  describeWithControlPlane,
  itFromKubernetes,
  sharedControlPlane,
  uniqueGroup,
  uniqueNamespace,
} from './jest/suite.js';
export { roughEdge } from './jest/rough-edge.js';
export { type SharedName } from './jest/environment.js';
export { type StoredObject, etcdEntries, parseRecording } from './stored-object.js';
export { openDefinitions } from './open-definitions.js';
export { readRecording } from './recording.js';
export { type CertificateAuthority, type KeyPair, type Subject, createCertificateAuthority } from './certificates.js';
export { cacheFolder } from './cache-folder.js';
export { freePort } from './free-port.js';
export { type Reaper, startReaper } from './reaper.js';
export { type RunningController, runController } from './run-controller.js';
