import { gates } from './api-server.js';
import type { Layout } from './layout.js';

/** Controllers that finish deletions, tokens and aggregated roles for an API server. */
export const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'clusterrole-aggregation-controller',
  'root-ca-certificate-publisher-controller',
] as const;

export interface ControllerManagerSettings {
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly quotas: boolean;
}

/** Command line of kube-controller-manager. It opens no port. */
export function controllerManagerArgs(layout: Layout, { featureGates, quotas }: ControllerManagerSettings): string[] {
  const gateList = gates(featureGates);
  const wanted = [...controllers, ...(quotas ? ['resourcequota-controller'] : [])];
  return [
    `--kubeconfig=${layout.controllerManagerKubeconfig}`,
    `--controllers=${wanted.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--service-account-private-key-file=${layout.tokenKey}`,
    `--root-ca-file=${layout.authority}/ca.crt`,
    '--use-service-account-credentials=false',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    // Newly learnt resources count from the next resync on.
    ...(quotas ? ['--resource-quota-sync-period=5s'] : []),
    ...(gateList === '' ? [] : [`--feature-gates=${gateList}`]),
  ];
}
