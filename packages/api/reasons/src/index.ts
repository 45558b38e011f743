export type { Reason, ReasonActor, ReasonGroup, ReasonSubject } from './reason.js';
export {
  type BindingReason,
  type BundleReason,
  type ClusterBindingReason,
  type ExportReason,
  type ObjectReason,
  type OnboardingReason,
  type PublishedResourceReason,
  type RequestReason,
  type ServiceNamespaceReason,
  findReason,
  reasonSubjects,
} from './registry.js';
export { conditionsMarkdown } from './markdown.js';
