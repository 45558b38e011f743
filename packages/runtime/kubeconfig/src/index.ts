export type { ConnectionConfig, Credentials, RequestHeaders } from './connection.js';
export { connectionHash } from './connection-hash.js';
export type { KubeconfigProblem, KubeconfigProblemCode } from './problem.js';
export { type KubeconfigPolicy, type SecretKubeconfig, parseSecretKubeconfig } from './secret-kubeconfig.js';
export { KubeconfigError, type KubeconfigErrorCode } from './kubeconfig-error.js';
export { type LoadOptions, loadKubeconfig } from './load-kubeconfig.js';
export { type FollowOptions, followKubeconfig } from './follow-kubeconfig.js';
export { portableKubeconfig } from './portable-kubeconfig.js';
export { type CertificateFiles, followCertificate, hostAndPort, readCertificate } from './serving-certificate.js';
