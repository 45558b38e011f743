import type { Controller, ServerHost } from '../parts.js';
import { clusterRoleAggregation } from './cluster-role-aggregation.js';
import { GarbageCollector } from './garbage-collector.js';
import { namespaceController } from './namespace-controller.js';
import { defaultServiceAccounts, rootCertificates } from './namespace-defaults.js';

/** Controllers of kube-controller-manager that finish what an API server begins. */
export function createControllers(host: ServerHost): readonly Controller[] {
  return [
    new GarbageCollector(host),
    namespaceController(host),
    defaultServiceAccounts(host),
    rootCertificates(host),
    clusterRoleAggregation(host),
  ];
}
