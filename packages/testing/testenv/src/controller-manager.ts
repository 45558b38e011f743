import { gates } from './api-server.js';
import type { Layout } from './layout.js';

/** The controllers without which an API server leaves deletions, tokens and aggregated roles unfinished. */
export const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'clusterrole-aggregation-controller',
  'root-ca-certificate-publisher-controller',
] as const;

/** Command line of kube-controller-manager. It opens no port. */
export function controllerManagerArgs(layout: Layout, featureGates: Readonly<Record<string, boolean>>): string[] {
  const gateList = gates(featureGates);
  return [
    `--kubeconfig=${layout.controllerManagerKubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--service-account-private-key-file=${layout.tokenKey}`,
    `--root-ca-file=${layout.authority}/ca.crt`,
    '--use-service-account-credentials=false',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    ...(gateList === '' ? [] : [`--feature-gates=${gateList}`]),
  ];
}
