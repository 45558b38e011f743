import type { Clock, Random } from '@hawser/clock';
import type { ApiRequest, AuthorizationAttributes, Decision, RequestInfo, UserInfo } from '../parts.js';
import type { Registry } from '../registry/registry.js';
import type { ResourceStorage } from '../registry/resource-storage.js';
import type { ResourceType, ServedVersion } from '../registry/resource-type.js';
import type { StatusError } from '../status.js';
import type { ObjectStore } from '../store/object-store.js';
import type { WatchHub } from './watch-hub.js';

/** Context of the handlers. One per server. */
export interface HandlerHost {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly storage: ResourceStorage;
  readonly watches: WatchHub;
  readonly clock: Clock;
  readonly random: Random;
  readonly bookmarkIntervalMs: number;
  authorize(attributes: AuthorizationAttributes): Decision;
  /** The 403 of a denial. */
  forbidden(attributes: AuthorizationAttributes, reason: string): StatusError;
}

/** An authenticated and authorized request for a served resource. */
export interface ResourceRequest {
  readonly host: HandlerHost;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly type: ResourceType;
  readonly version: ServedVersion;
  /** Sent to the client as `Warning` headers, each once. */
  readonly warnings: string[];
  /** A fault: answers requests for any version from this revision. */
  readonly staleRevision: number | undefined;
  /** Key prefix for lists and watches, in a store whose keys do not begin with the namespace. */
  readonly prefix?: string;
}

export function header(request: ApiRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

/** The request's namespace in storage. */
export function namespaceOf({ info, type }: Pick<ResourceRequest, 'info' | 'type'>): string {
  return type.namespaced ? info.namespace : '';
}
