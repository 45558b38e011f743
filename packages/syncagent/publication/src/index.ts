export { type Agent, publishedResourcesOf } from './agent.js';
export { type ExportLocation, type LocatedWorkspace, ExportLocationError, locateExport } from './export-location.js';
export { type FailedStarts, createFailedStarts } from './failed-starts.js';
export { publicationConditions } from './condition-types.js';
export type { Discover, Source } from './discover.js';
export { withSummary } from './summary.js';
export { type StatusChange, type StatusTerms, changesStatus } from './status-change.js';
export { type StatusWriter, type StatusWriterOptions, createStatusWriter } from './status-writer.js';
