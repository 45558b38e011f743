export {
  type Actor,
  type Headers,
  type ServerRequest,
  type ServerResponse,
  type ServerUnderTest,
  type ServerWatch,
} from './server.js';
export { type Case, caseId } from './case.js';
export { type Exchange, type Transcript } from './exchange.js';
export { everyCase } from './every-case.js';
export { type Outcome, type StartServer, runCases } from './suite.js';
export { differences } from './difference.js';
export { Recording } from './recorded.js';
export { judge } from './judge.js';
export { fixtureGroup } from './fixtures.js';
export { definition } from './definition.js';
export { type HttpsServerOptions, httpsServer } from './https-server.js';
