export { people } from './people.js';
export { type TrialIssuer, type TrialIssuerOptions, startTrialIssuer } from './trial-issuer.js';
