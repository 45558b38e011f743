import type { Controller } from '@hawser/controller';
import { createInlineExportController } from './inline-export-controller.js';
import type { InlineExportOptions } from './inline-options.js';
import { createInlineRequestController } from './inline-request-controller.js';

/**
 * Answers requests of Klutch with one export for each resource, which carries the CRD (spec/klutch.md §7.2), and marks
 * an export as withdrawn while its consumer reports it unbound. `createPropagationController` of `@hawser/propagation`
 * propagates changes of the CRD. Never deletes requests and exports.
 */
export function createInlineExportControllers(options: InlineExportOptions): readonly Controller<'provider'>[] {
  return [createInlineRequestController(options), createInlineExportController(options)];
}
