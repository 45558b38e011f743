export type { ConnectionConfig, Credentials } from './connection.js';
