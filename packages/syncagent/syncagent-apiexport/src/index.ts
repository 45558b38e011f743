export { type SyncagentAPIExportOptions, createSyncagentAPIExport } from './syncagent-apiexport.js';
