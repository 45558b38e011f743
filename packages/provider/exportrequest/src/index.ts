export { type ExportRequestOptions, createExportRequestController } from './export-request-controller.js';
export { type ExportOptions, createExportController } from './export-controller.js';
export { createCollectionController } from './template/collection-controller.js';
export { type TemplateOptions, createTemplateController } from './template/template-controller.js';
export type { AdmissionMode } from './template/admission.js';
export { createSchemaStamper, type SchemaStamper, type SourceSchema, type Stamp } from './source-schema.js';
export { createInlineStamper } from './inline/inline-stamper.js';
export { createInlineExportControllers } from './inline/inline-controllers.js';
export type { InlineExportOptions } from './inline/inline-options.js';
