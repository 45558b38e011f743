import { readFileSync } from 'node:fs';

import { messageOf } from '@hawser/client';
import { parse } from 'yaml';

import { ConfigError } from './config.js';

/** A config value in the making: the same shape as the config file. */
export type ConfigInput = Record<string, unknown>;

/** How often an alias may be used: a small file must not become a large object. */
export const YAML_LIMITS = { maxAliasCount: 50 };

/** The text of a config file. @throws ConfigError that names the file */
export function readConfigText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
}

/** What a parser of YAML says of a text that it does not take. */
export function notYaml(error: unknown): string {
  return `is not YAML: ${messageOf(error).split('\n', 1)[0] ?? ''}`;
}

/** What a config file says, YAML or JSON, not checked yet. @throws ConfigError that names the file */
export function readConfigFile(file: string): ConfigInput {
  const text = readConfigText(file);
  let value: unknown;
  try {
    value = parse(text, YAML_LIMITS);
  } catch (error) {
    throw new ConfigError(`${file}: ${notYaml(error)}`);
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigError(`${file}: must be a mapping`);
  return value as ConfigInput;
}
