import type { Controller } from '@hawser/controller';
import { createInlineExportController } from './inline-export-controller.js';
import type { InlineExportOptions } from './inline-options.js';
import { createInlineRequestController } from './inline-request-controller.js';

/**
 * Answers requests of Klutch with one export for each resource, which carries the CRD (spec/klutch.md §7.2), and marks an export as withdrawn while its consumer says that it has unbound it. Changes of the CRD
 * are carried by `createPropagationController` of `@hawser/propagation`. Requests and exports are never deleted.
 */
export function createInlineExportControllers(options: InlineExportOptions): readonly Controller<'provider'>[] {
  return [createInlineRequestController(options), createInlineExportController(options)];
}
