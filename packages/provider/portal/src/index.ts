export { type Portal, createPortal } from './portal.js';
export type { IssuerOptions, PortalOptions } from './options.js';
