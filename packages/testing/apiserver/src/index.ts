export { type ApiServer, type ApiServerOptions, administrator, createApiServer } from './create-api-server.js';
export { ConnectionResetError, type Exchange, type Fault, type Faults, type ResponseSink } from './exchange.js';
export { ConnectionRefusedError, DirectDispatcher, type DirectDispatcherOptions } from './http/direct-dispatcher.js';
export type { KeyPair, Subject } from './http/certificates.js';
export { type ListenOptions, type Listener, listen } from './http/listen.js';
export type * from './parts.js';
export { StatusError } from './status.js';
export { FileLog } from './store/file-log.js';
export { Store, type StoreOptions, type StoreSnapshot } from './store/store.js';
