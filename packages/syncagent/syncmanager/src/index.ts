export { type Publication, type Syncmanager, type SyncmanagerOptions, createSyncmanager } from './syncmanager.js';
export { InvalidRulesError, type SyncFactory, type SyncRequest } from './sync-factory.js';
