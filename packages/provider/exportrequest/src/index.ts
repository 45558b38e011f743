export { type ExportRequestOptions, createExportRequestController } from './export-request-controller.js';
export { type ExportOptions, createExportController } from './export-controller.js';
