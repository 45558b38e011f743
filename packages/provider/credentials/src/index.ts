export { type CredentialsOptions, createCredentialsController } from './credentials-controller.js';
export type { Endpoint } from './endpoint.js';
