export { type CommandDescription, helpOf } from './command-description.js';
export { type ConfigInput, YAML_LIMITS, readConfigFile, readConfigText } from './config-file.js';
export { configProblems } from './config-problems.js';
export { configJsonSchema } from './config-schema.js';
export { type Config, ConfigError, type Limits, configSchema, parseConfig } from './config.js';
export { COMPATIBLE, type Flag, type ParsedFlags, choice, helpFlag, listOf, parseFlags } from './flags.js';
export { nearest, unknownWord } from './nearest.js';
export type { PortalInput } from './portal-config.js';
