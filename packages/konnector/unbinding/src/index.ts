export { createFinalizerRelease } from './finalizer-release.js';
export { type UnbindingOptions, createUnbinding } from './unbinding.js';
export type { ObjectLeft, ResourceLeft } from './observed.js';
export type { ConsumerTerms } from './consumer-terms.js';
export { type Found, type Inventory, type InventoryOptions, takeInventory } from './inventory.js';
export type { LeaseName } from './lease-holder.js';
export { type Check, checksOf, planUninstall } from './leftovers.js';
export { type UninstallOptions, uninstall } from './uninstall.js';
export { type Handback, type OursOn, handback, handbackText, planHandback } from './handback.js';
