export type { ApiServer, ApiServerOptions, PersonalServer } from './api-server.js';
export { administrator, createApiServer, createPersonalServer } from './create-api-server.js';
export { ConnectionResetError, type Exchange, type Fault, type Faults, type ResponseSink } from './exchange.js';
export {
  ConnectionRefusedError,
  DirectDispatcher,
  type DirectDispatcherOptions,
  type RequestHandler,
} from './http/direct-dispatcher.js';
export type { KeyPair, Subject } from './http/certificates.js';
export { type ListenOptions, type Listener, type ListeningServer, listen } from './http/listen.js';
export type * from './parts.js';
export { StatusError } from './status.js';
export { FileLog } from './store/file-log.js';
export { Store, type StoreOptions, type StoreSnapshot } from './store/store.js';

// Parts for a personality other than Kubernetes'.
export { forbiddenError } from './auth/forbidden.js';
export { impersonate } from './auth/impersonation.js';
export { authenticated } from './auth/users.js';
export { createDiscovery } from './discovery/index.js';
export { Exchanges } from './direct-exchange.js';
export { guardedAnswer, plainText } from './guarded-answer.js';
export type { Answer } from './handlers/answer.js';
export { type HandlerHost, type ResourceRequest } from './handlers/context.js';
export { requestInfoOf } from './handlers/request-info.js';
export { handleResource } from './handlers/resource-handler.js';
export { WatchHub } from './handlers/watch-hub.js';
export { type ObjectMeta, isDeleting, metaOf, withMeta } from './object/meta.js';
export {
  booleanField,
  field,
  objectField,
  objectsField,
  stringField,
  stringsField,
  withAt,
  withField,
} from './object/json.js';
export type { AdmissionPlugin, AdmittedWrite, Personality, TypeSource } from './personality.js';
export { builtInTypes } from './registry/builtin/types.js';
export { definitionErrors } from './registry/builtin/crd-validation.js';
export { customResource } from './registry/custom/custom-resource.js';
export { type Definition, readDefinition } from './registry/custom/definition.js';
export { infosOf } from './registry/registry.js';
export type { ResourceType, ServedVersion } from './registry/resource-type.js';
export {
  type GroupResource,
  badRequest,
  forbidden,
  noSuchPath,
  notFound,
  notImplemented,
  quote,
  unauthorized,
} from './status.js';
export type { Change, Entry } from './store/change.js';
export type { ObjectStore } from './store/object-store.js';
export { CompactedError } from './store/store.js';
export { kubeconfigText } from './http/kubeconfig.js';
