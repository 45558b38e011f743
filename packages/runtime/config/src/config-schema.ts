import * as z from 'zod';

import { configSchema } from './config.js';

/**
 * The JSON schema of a config file, generated from the schema that checks it. Rules about several fields are not part
 * of it.
 */
export function configJsonSchema(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7', unrepresentable: 'throw' });
  return JSON.stringify({ ...schema, title: 'Config file of hawser' }, null, 2);
}
