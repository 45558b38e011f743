import type { Reason, ReasonSubject } from './reason.js';
import { appClusterBindingSubject } from './subjects/app-cluster-binding.js';
import { type bindingReasons, bindingSubject } from './subjects/binding.js';
import { type bundleReasons, bundleSubject } from './subjects/bundle.js';
import { clusterSubject } from './subjects/cluster.js';
import { type clusterBindingReasons, clusterBindingSubject } from './subjects/cluster-binding.js';
import { connectionSubject } from './subjects/connection.js';
import { kbindBindingSubject } from './subjects/kbind-binding.js';
import { boundSchemaSubject, type exportReasons, exportSubject } from './subjects/export.js';
import { explainedSubject } from './subjects/explained.js';
import { type objectReasons, objectSubject } from './subjects/objects.js';
import { type onboardingReasons, onboardingSubject } from './subjects/onboarding.js';
import { publishedObjectSubject } from './subjects/published-object.js';
import {
  apiExportSubject,
  type publishedResourceReasons,
  publishedResourceSubject,
} from './subjects/published-resource.js';
import { type requestReasons, requestSubject } from './subjects/request.js';
import { collectionSubject, templateSubject } from './subjects/template.js';
import { type serviceNamespaceReasons, serviceNamespaceSubject } from './subjects/service-namespace.js';

export type BindingReason = (typeof bindingReasons)[number]['reason'];
/** Why one object of a bound API is not in step. */
export type ObjectReason = (typeof objectReasons)[number]['reason'];
/** Why a bundle is not in step. */
export type BundleReason = (typeof bundleReasons)[number]['reason'];
export type ClusterBindingReason = (typeof clusterBindingReasons)[number]['reason'];
export type ExportReason = (typeof exportReasons)[number]['reason'];
export type OnboardingReason = (typeof onboardingReasons)[number]['reason'];
export type PublishedResourceReason = (typeof publishedResourceReasons)[number]['reason'];
export type RequestReason = (typeof requestReasons)[number]['reason'];
export type ServiceNamespaceReason = (typeof serviceNamespaceReasons)[number]['reason'];

/** Everything that Hawser reports, in the order of the documentation. */
export const reasonSubjects: readonly ReasonSubject[] = [
  bindingSubject,
  bundleSubject,
  objectSubject,
  clusterSubject,
  clusterBindingSubject,
  exportSubject,
  boundSchemaSubject,
  requestSubject,
  templateSubject,
  collectionSubject,
  onboardingSubject,
  serviceNamespaceSubject,
  appClusterBindingSubject,
  connectionSubject,
  kbindBindingSubject,
  publishedResourceSubject,
  publishedObjectSubject,
  apiExportSubject,
  explainedSubject,
];

/**
 * What is known of `reason` as it is said about an object of `kind` (`BoundObject`: of a bound API), under `condition` if that is given and knows it.
 * Undefined for a reason of somebody else, such as an older konnector.
 */
export function findReason(kind: string, reason: string, condition?: string): Reason | undefined {
  const groups = reasonSubjects.find((subject) => subject.kind === kind)?.groups ?? [];
  const inGroups = (condition === undefined ? groups : groups.filter((group) => group.condition === condition)).flatMap(
    ({ reasons }) => reasons,
  );
  const found = inGroups.find((entry) => entry.reason === reason);
  return found ?? (condition === undefined ? undefined : findReason(kind, reason));
}
