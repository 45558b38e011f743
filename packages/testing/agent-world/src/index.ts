export { type AgentWorld, type AgentWorldOptions, EXPORT, startAgentWorld } from './agent-world.js';
export { loadObjects, versionsOf } from './recorded.js';
export { type CrdOptions, crontabs, publish } from './objects.js';
