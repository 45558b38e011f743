export type { UnusableObject } from './metadata.js';
export type {
  KubeList,
  KubeObject,
  ManagedFieldsEntry,
  ObjectKey,
  ObjectMeta,
  OwnerReference,
  Resource,
  Status,
  UnstructuredObject,
} from './object.js';
export type {
  Client,
  DeleteOptions,
  DeleteResult,
  ListOptions,
  Patch,
  ReadOptions,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WatchStream,
  WriteOptions,
} from './client.js';
export {
  ApiError,
  type ApiErrorCode,
  type RequestDescription,
  isAlreadyExists,
  isApiError,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isRefusal,
} from './api-error.js';
export type { ClientOptions } from './client-options.js';
export { createClient } from './create-client.js';
export type { DispatcherFactory } from './pools.js';
export { type FailureKind, failureKind } from './failure-kind.js';
export { firstObjectIn } from './first-object-in.js';
export { getIfExists } from './get-if-exists.js';
export { type ListSnapshot, listAll, listPages, listSnapshot } from './list-pages.js';
export { type Passage, type PassedAnswer, type PassedRequest, createPassage } from './passage.js';
export { AnswerTooLongError, isAnswerTooLong } from './malformed-error.js';
export { PageSize } from './page-size.js';
export type { Recovery } from './recovery.js';
export { ServerTime } from './server-time.js';
export { isOutage } from './is-outage.js';
export { controllerOf } from './controller-of.js';
export { isTerminating } from './is-terminating.js';
export { apiVersionOf, keyOf, objectKey, resourceName, isSameResource, versionOf } from './object-key.js';
export { isObjectNotFound } from './status-error.js';
export { type Hosts, createHosts } from './hosts.js';
export { type CommitStatusOptions, commitStatus, type StatusOf } from './commit-status.js';
export { statusPatch } from './status-patch.js';
export { messageOf, sentence } from './words.js';
