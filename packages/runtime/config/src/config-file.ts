import { readFileSync } from 'node:fs';

import { messageOf } from '@hawser/client';
import { parse } from 'yaml';

import { ConfigError } from './config.js';

/** An unchecked config value, in the shape of the config file. */
export type ConfigInput = Record<string, unknown>;

/** Limits uses of an alias: a small file must not expand to a large object. */
export const YAML_LIMITS = { maxAliasCount: 50 };

/** Reads the text of a config file. @throws ConfigError that names the file */
export function readConfigText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
}

/** Formats the error of a YAML parser. */
export function notYaml(error: unknown): string {
  return `is not YAML: ${messageOf(error).split('\n', 1)[0] ?? ''}`;
}

/** Reads a config file, YAML or JSON, without checking its fields. @throws ConfigError that names the file */
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
