export { type Portal, createPortal } from './portal.js';
export type { ClusterIssuer, IssuerOptions, PortalOptions } from './options.js';
