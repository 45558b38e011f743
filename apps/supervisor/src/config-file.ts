import { readFileSync } from 'node:fs';

import { parse } from 'yaml';

import { ConfigError } from './config.js';
import type { ConfigInput } from './konnector-flags.js';

/** What a config file says, YAML or JSON, not checked yet. @throws ConfigError that names the file */
export function readConfigFile(file: string): ConfigInput {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 50 });
  } catch (error) {
    throw new ConfigError(
      `${file}: is not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`,
    );
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigError(`${file}: must be a mapping`);
  return value as ConfigInput;
}
